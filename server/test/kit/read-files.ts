// Reads files that Karba writes, as their users' programs do.
import { execFileSync } from 'node:child_process'
import { fromBufferPromise } from 'yauzl'

export async function unzipped(bytes: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(bytes, {
    lazyEntries: true,
    validateEntrySizes: true,
    autoClose: false,
  })
  const found = new Map<string, Buffer>()
  for await (const entry of zip.eachEntry()) {
    const parts: Buffer[] = []
    for await (const part of await zip.openReadStreamPromise(entry)) parts.push(part as Buffer)
    found.set(entry.fileName, Buffer.concat(parts))
  }
  return found
}

/** Undefined where no reader of PDF files is installed, but for CI. */
export function pdfText(pdf: Buffer): string | undefined {
  try {
    const text = execFileSync('pdftotext', ['-layout', '-', '-'], {
      input: pdf,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    return text.toString().replaceAll(/[\u00a0\u202f]/g, ' ')
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT' && process.env.CI === undefined)
      return undefined
    throw error
  }
}
