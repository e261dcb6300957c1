// Bytes of a text file to text, chunk by chunk. The encoding comes from the byte order mark, or
// from the first bytes that are not ASCII.
import { isAscii } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { StatementRefused } from './limits.ts'

/** The longest UTF-8 sequence, and enough for every byte order mark. */
const LONGEST_SEQUENCE = 4
/** The control characters that Windows-1252 has no letter for. */
const NO_LETTER = /[\u0080-\u009f]/

/** `head` holds the first bytes of the file, which `bytes` yields again. */
export async function* decodeText(
  head: Buffer,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<string> {
  let decoder = decoderByMark(head)
  let held: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    const rest: Buffer = held.length === 0 ? asBuffer(chunk) : Buffer.concat([held, chunk])
    held = Buffer.alloc(0)
    if (decoder === undefined && !isAscii(rest)) {
      const at = firstNonAscii(rest)
      if (rest.length - at >= LONGEST_SEQUENCE)
        decoder = decoderBySequence(rest.subarray(at, at + LONGEST_SEQUENCE))
      else {
        held = rest
        continue
      }
    }
    yield decoded(decoder, rest, true)
  }
  decoder ??= held.length === 0 ? undefined : decoderBySequence(held.subarray(firstNonAscii(held)))
  yield decoded(decoder, held, false)
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function decoderByMark(head: Buffer): TextDecoder | undefined {
  const [first, second, third] = head
  if (first === 0xef && second === 0xbb && third === 0xbf)
    return new TextDecoder('utf-8', { fatal: true })
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le', { fatal: true })
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be', { fatal: true })
  // Every heading begins with an ASCII character, whose other half is zero in UTF-16.
  if (first !== 0 && second === 0) return new TextDecoder('utf-16le', { fatal: true })
  if (first === 0 && second !== 0) return new TextDecoder('utf-16be', { fatal: true })
  return undefined
}

/**
 * A letter of Windows-1252 is almost never followed by the bytes that would make it UTF-8: they
 * would have to be symbols. Latin-1 is the same for every character that can be printed.
 */
function decoderBySequence(sequence: Buffer): TextDecoder {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    decoder.decode(sequence, { stream: true })
    return new TextDecoder('utf-8', { fatal: true })
  } catch {
    return new TextDecoder('windows-1252', { fatal: true })
  }
}

function firstNonAscii(bytes: Buffer): number {
  let at = 0
  while (at < bytes.length && (bytes[at] as number) < 0x80) at++
  return at
}

function decoded(decoder: TextDecoder | undefined, bytes: Buffer, stream: boolean): string {
  let text: string
  try {
    text = decoder === undefined ? bytes.toString('latin1') : decoder.decode(bytes, { stream })
  } catch (cause) {
    throw new StatementRefused({ fault: 'encoding_not_known' }, { cause })
  }
  const isUnknown =
    text.includes('\0') || (decoder?.encoding === 'windows-1252' && NO_LETTER.test(text))
  if (isUnknown) throw new StatementRefused({ fault: 'encoding_not_known' })
  return text
}
