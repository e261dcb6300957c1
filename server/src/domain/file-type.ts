// What a file is, by its first bytes: neither its name nor what the sender calls it is believed.

export type FileType = 'application/pdf' | 'image/jpeg' | 'image/png'

const SIGNATURES: readonly [type: FileType, bytes: readonly number[]][] = [
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
]

export const fileTypeOf = (bytes: Uint8Array): FileType | undefined =>
  SIGNATURES.find(([, signature]) => signature.every((byte, at) => bytes[at] === byte))?.[0]
