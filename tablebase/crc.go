package tablebase

import "hash/crc64"

// The checksum of both formats is CRC-64/XZ, which Go calls crc64.ECMA: the reflected
// polynomial, and all ones as the initial value and as the final exclusive or.

// crcTable is the table that hash/crc64 itself keeps for the polynomial.
var crcTable = crc64.MakeTable(crc64.ECMA)

// A CRC is a remainder of polynomials over GF(2), so the checksum of A followed by B is
//
//	crc(A‖B) = crc(A)·x^(8·|B|) mod P  xor  crc(B)
//
// in which the all-ones conditioning of the three cancels out (Mark Adler's crc32_combine in
// zlib, here for 64 bits). It lets parts of a file be checked on several cores.

// xPower[k] is x^(2^k) mod P, in the reflected order that the checksum uses: the coefficient
// of x^0 is the highest bit.
var xPower = func() (table [64]uint64) {
	p := uint64(1) << 62 // x^1
	for k := range table {
		table[k] = p
		p = multiply(p, p)
	}
	return table
}()

// multiply returns a·b mod P of two reflected polynomials.
func multiply(a, b uint64) uint64 {
	var product uint64
	for m := uint64(1) << 63; m != 0; m >>= 1 {
		if a&m != 0 {
			product ^= b
		}
		// b times x: a coefficient that would become that of x^64 is reduced by P.
		carry := b & 1
		b >>= 1
		b ^= crc64.ECMA & -carry
	}
	return product
}

// shiftOf returns x^(8n) mod P, the factor that n bytes behind it put on a checksum.
func shiftOf(n int64) uint64 {
	p := uint64(1) << 63 // x^0
	bits := uint64(n) * 8
	for k := 0; bits != 0; k, bits = k+1, bits>>1 {
		if bits&1 != 0 {
			p = multiply(p, xPower[k])
		}
	}
	return p
}

// combineCRC returns the checksum of A followed by B from crc(A), crc(B) and the length of B
// in bytes.
func combineCRC(a, b uint64, lengthOfB int64) uint64 {
	return multiply(shiftOf(lengthOfB), a) ^ b
}
