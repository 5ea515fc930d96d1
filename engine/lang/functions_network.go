package lang

import (
	"errors"
	"math/big"
	"net/netip"
	"regexp"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/gocty"
)

func networkFunctions() map[string]function.Function {
	number := func(name string) function.Parameter { return function.Parameter{Name: name, Type: cty.Number} }
	return map[string]function.Function{
		"cidrcontains": cidrcontainsFunction(),
		"cidrhost": ofPrefix(cty.String, []function.Parameter{number("hostnum")}, nil, func(p netip.Prefix, args []cty.Value) (cty.Value, error) {
			n, err := wholeNumber(args[0])
			if err != nil {
				return cty.NilVal, function.NewArgError(1, err)
			}
			host, err := hostOf(p, n)
			return cty.StringVal(host.String()), err
		}),
		"cidrnetmask": ofPrefix(cty.String, nil, nil, func(p netip.Prefix, _ []cty.Value) (cty.Value, error) {
			if !p.Addr().Is4() {
				return cty.NilVal, function.NewArgErrorf(0, "netmasks exist only for IPv4")
			}
			ones, _ := netip.AddrFrom4([4]byte{255, 255, 255, 255}).Prefix(p.Bits()) // no error: the length of an IPv4 prefix is valid
			return cty.StringVal(ones.Addr().String()), nil
		}),
		"cidrsubnet": ofPrefix(cty.String, []function.Parameter{number("newbits"), number("netnum")}, nil, func(p netip.Prefix, args []cty.Value) (cty.Value, error) {
			var bits int
			if err := gocty.FromCtyValue(args[0], &bits); err != nil {
				return cty.NilVal, function.NewArgError(1, err)
			}
			n, err := wholeNumber(args[1])
			if err != nil {
				return cty.NilVal, function.NewArgError(2, err)
			}
			sub, err := subnetOf(p, bits, n)
			return cty.StringVal(sub.String()), err
		}),
		"cidrsubnets": ofPrefix(cty.List(cty.String), nil, &function.Parameter{Name: "newbits", Type: cty.Number}, consecutiveSubnets),
	}
}

// ofPrefix returns a function whose first argument is an address prefix.
func ofPrefix(result cty.Type, more []function.Parameter, rest *function.Parameter, f func(netip.Prefix, []cty.Value) (cty.Value, error)) function.Function {
	return function.New(&function.Spec{
		Params: append(params("prefix"), more...), VarParam: rest,
		Type: function.StaticReturnType(result), RefineResult: notNull,
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			p, err := parsePrefix(args[0].AsString())
			if err != nil {
				return cty.NilVal, function.NewArgError(0, err)
			}
			out, err := f(p, args[1:])
			if err != nil {
				return cty.NilVal, err
			}
			return out, nil
		},
	})
}

// leadingZeros matches leading zeros of the numbers in IPv4 addresses. They are permitted
// and do not mean octal.
var leadingZeros = regexp.MustCompile(`(^|\.)0+([0-9])`)

func parsePrefix(s string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(leadingZeros.ReplaceAllString(s, "$1$2"))
	if err != nil {
		return netip.Prefix{}, errors.New("must be an address prefix such as 10.0.0.0/8")
	}
	return p.Masked(), nil
}

func wholeNumber(v cty.Value) (*big.Int, error) {
	n, accuracy := v.AsBigFloat().Int(nil)
	if accuracy != big.Exact {
		return nil, errors.New("a whole number is required")
	}
	return n, nil
}

// offset returns the sum of a and by, which must not overflow.
func offset(a netip.Addr, by *big.Int) netip.Addr {
	raw := a.AsSlice()
	n := new(big.Int).SetBytes(raw)
	n.Add(n, by).FillBytes(raw)
	out, _ := netip.AddrFromSlice(raw) // its length is unchanged
	return out
}

// hostOf returns the address with number n in the network, counted from its end if n is
// negative.
func hostOf(p netip.Prefix, n *big.Int) (netip.Addr, error) {
	size := new(big.Int).Lsh(big.NewInt(1), uint(p.Addr().BitLen()-p.Bits()))
	at := new(big.Int).Set(n)
	if at.Sign() < 0 {
		at.Add(at, size)
	}
	if at.Sign() < 0 || at.Cmp(size) >= 0 {
		return netip.Addr{}, function.NewArgErrorf(1, "the prefix has no host with this number")
	}
	return offset(p.Addr(), at), nil
}

func subnetOf(p netip.Prefix, bits int, n *big.Int) (netip.Prefix, error) {
	total := p.Addr().BitLen()
	if bits < 0 || p.Bits()+bits > total {
		return netip.Prefix{}, function.NewArgErrorf(1, "the prefix cannot be extended by so many bits")
	}
	if n.Sign() < 0 || n.BitLen() > bits {
		return netip.Prefix{}, function.NewArgErrorf(2, "the number does not fit into the added bits")
	}
	by := new(big.Int).Lsh(n, uint(total-p.Bits()-bits))
	return netip.PrefixFrom(offset(p.Addr(), by), p.Bits()+bits), nil
}

// maxNewBits is the limit of cidrsubnets for the extension of a prefix.
const maxNewBits = 32

// consecutiveSubnets returns the subnets, each at the first aligned address after the previous
// subnet.
func consecutiveSubnets(p netip.Prefix, args []cty.Value) (cty.Value, error) {
	total := p.Addr().BitLen()
	size := new(big.Int).Lsh(big.NewInt(1), uint(total-p.Bits()))
	next := new(big.Int)
	var out []cty.Value
	for i, arg := range args {
		var bits int
		if err := gocty.FromCtyValue(arg, &bits); err != nil {
			return cty.NilVal, function.NewArgError(i+1, err)
		}
		if bits < 1 || bits > maxNewBits || p.Bits()+bits > total {
			return cty.NilVal, function.NewArgErrorf(i+1, "the prefix must be extended by 1 to %d bits and must not exceed %d bits", maxNewBits, total)
		}
		one := new(big.Int).Lsh(big.NewInt(1), uint(total-p.Bits()-bits))
		if rest := new(big.Int).Mod(next, one); rest.Sign() > 0 {
			next.Add(next, one).Sub(next, rest)
		}
		after := new(big.Int).Add(next, one)
		if after.Cmp(size) > 0 {
			return cty.NilVal, function.NewArgErrorf(i+1, "no address space is left for this subnet")
		}
		out = append(out, cty.StringVal(netip.PrefixFrom(offset(p.Addr(), next), p.Bits()+bits).String()))
		next = after
	}
	return listOf(cty.String, out), nil
}

func cidrcontainsFunction() function.Function {
	return ofStrings(params("containing_prefix", "contained_ip_or_prefix"), cty.Bool, func(args []string) (cty.Value, error) {
		p, err := parsePrefix(args[0])
		if err != nil {
			return cty.NilVal, function.NewArgError(0, err)
		}
		inner, err := parsePrefix(args[1])
		if err != nil {
			a, err := netip.ParseAddr(leadingZeros.ReplaceAllString(args[1], "$1$2"))
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(1, "must be an address or a prefix")
			}
			inner = netip.PrefixFrom(a, a.BitLen())
		}
		if inner.Addr().BitLen() != p.Addr().BitLen() {
			return cty.NilVal, function.NewArgErrorf(1, "both arguments must be IPv4, or both IPv6")
		}
		return cty.BoolVal(p.Bits() <= inner.Bits() && p.Contains(inner.Addr())), nil
	})
}
