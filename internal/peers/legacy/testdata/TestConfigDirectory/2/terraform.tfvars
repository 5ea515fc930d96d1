ports = [22, 443]
