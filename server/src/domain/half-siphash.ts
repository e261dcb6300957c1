// HalfSipHash-2-4 of a single 32-bit number: a keyed function whose results are unrelated without the key. For values
// that are made with every payment: a tenth of the cost of SHA-256.

/** Returns 32 bits, as JavaScript's bit operations have them: with a sign. */
export function halfSipHash(word: number, key0: number, key1: number): number {
  let [v0, v1] = [key0, key1]
  let [v2, v3] = [0x6c_79_67_65 ^ key0, 0x74_65_64_62 ^ key1]
  // Two rounds over the number, two over its length, four to end.
  for (let round = 0; round < 8; round++) {
    if (round === 0) v3 ^= word
    else if (round === 2) {
      v0 ^= word
      v3 ^= LENGTH
    } else if (round === 4) {
      v0 ^= LENGTH
      v2 ^= 0xff
    }
    v0 = (v0 + v1) | 0
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0
    v0 = (v0 << 16) | (v0 >>> 16)
    v2 = (v2 + v3) | 0
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2
    v0 = (v0 + v3) | 0
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0
    v2 = (v2 + v1) | 0
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2
    v2 = (v2 << 16) | (v2 >>> 16)
  }
  return v1 ^ v3
}

/** Four bytes, in the highest byte. */
const LENGTH = 4 << 24
