// Puts text that was made by a measurement into a document, between two comments that name it.
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'

const DOCS = new URL('../docs/', import.meta.url)

export const documentPath = (name: string): string => fileURLToPath(new URL(name, DOCS))

export function writeBlock(document: string, name: string, lines: readonly string[]): void {
  const path = documentPath(document)
  writeFileSync(path, withBlock(readFileSync(path, 'utf8'), name, lines))
}

export function withBlock(text: string, name: string, lines: readonly string[]): string {
  const [begin, end] = [`<!-- ${name}: made by npm run bench -->`, `<!-- end of ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`there is no place for "${name}"`)
  return `${text.slice(0, from)}${begin}\n\n${lines.join('\n')}\n\n${text.slice(to)}`
}

export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(heads), `|${heads.map((_, at) => (at === 0 ? '---|' : '---:|')).join('')}`, ...rows.map(line)]
}

/** The machine that figures were measured on. */
export function machineText(): string {
  const model =
    cpus()[0]
      ?.model.replace(/\(R\)|\(TM\)/g, '')
      .trim() ?? 'unknown processor'
  const memoryGb = Math.round(totalmem() / 2 ** 30)
  const day = new Date().toISOString().slice(0, 10)
  return `${availableParallelism()} cores (${model}), ${memoryGb} GB of memory, Node ${process.versions.node}, ${day}`
}
