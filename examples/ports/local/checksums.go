package localport

import (
	"crypto/md5"  //nolint:gosec // an output of the published provider
	"crypto/sha1" //nolint:gosec // an output of the published provider
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
)

// Checksums has the checksums of the content of a file.
type Checksums struct {
	// ID is the SHA-1 checksum of the content in hexadecimal.
	ID string
	// ContentMD5 is the MD5 checksum of the content in hexadecimal.
	ContentMD5 string
	// ContentSHA1 is the SHA-1 checksum of the content in hexadecimal.
	ContentSHA1 string
	// ContentSHA256 is the SHA-256 checksum of the content in hexadecimal.
	ContentSHA256 string
	// ContentBase64SHA256 is the SHA-256 checksum of the content in Base64.
	ContentBase64SHA256 string `tf:"content_base64sha256"`
	// ContentSHA512 is the SHA-512 checksum of the content in hexadecimal.
	ContentSHA512 string
	// ContentBase64SHA512 is the SHA-512 checksum of the content in Base64.
	ContentBase64SHA512 string `tf:"content_base64sha512"`
}

func checksums(content []byte) *Checksums {
	sum5, sum1, sum256, sum512 := md5.Sum(content), sha1.Sum(content), sha256.Sum256(content), sha512.Sum512(content) //nolint:gosec // see above
	return &Checksums{
		ID:                  hex.EncodeToString(sum1[:]),
		ContentMD5:          hex.EncodeToString(sum5[:]),
		ContentSHA1:         hex.EncodeToString(sum1[:]),
		ContentSHA256:       hex.EncodeToString(sum256[:]),
		ContentBase64SHA256: base64.StdEncoding.EncodeToString(sum256[:]),
		ContentSHA512:       hex.EncodeToString(sum512[:]),
		ContentBase64SHA512: base64.StdEncoding.EncodeToString(sum512[:]),
	}
}
