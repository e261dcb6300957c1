// Prints the figures of a run with their aims, and writes measured tables into documents.
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'

export interface Figure {
  what: string
  value: number
  detail?: string
  atLeast?: number
  atMost?: number
}

const WIDTH = 24

export function printFigures(figures: readonly Figure[]): boolean {
  const rows = figures.map((figure) => [
    figure.what,
    shown(figure),
    aim(figure),
    verdict(figure),
    bar(figure),
  ])
  const heads = ['', 'measured', 'aim', 'met', '']
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...rows.map((row) => (row[at] as string).length)),
  )
  const line = (cells: readonly string[]) =>
    cells.map((cell, at) => cell.padEnd(widths[at] as number)).join('  ')
  const lines = rows.map((row, at) => `${line(row)}  ${figures[at]?.detail ?? ''}`)
  process.stdout.write(`${[line(heads), ...lines].map((text) => text.trimEnd()).join('\n')}\n`)
  return figures.every(isMet)
}

function isMet({
  value,
  atLeast = Number.NEGATIVE_INFINITY,
  atMost = Number.POSITIVE_INFINITY,
}: Figure): boolean {
  return value >= atLeast && value <= atMost
}

const shown = ({ value }: Figure): string => (value < 20 ? value.toFixed(2) : value.toFixed(0))

function verdict(figure: Figure): string {
  if (figure.atLeast === undefined && figure.atMost === undefined) return '-'
  return isMet(figure) ? 'yes' : 'NO'
}

function aim({ atLeast, atMost }: Figure): string {
  if (atLeast === undefined && atMost === undefined) return 'none'
  return atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`
}

function bar({ value, atLeast, atMost }: Figure): string {
  const aimedAt = atLeast ?? atMost
  if (aimedAt === undefined) return ''
  const scale = atMost === undefined ? Math.max(1, value) : atMost * 1.25
  const place = (of: number) => Math.min(WIDTH - 1, Math.round((of / scale) * WIDTH))
  const cells: string[] = Array.from({ length: WIDTH }, (_, at) => (at < place(value) ? '█' : '·'))
  cells[place(aimedAt)] = '|'
  return cells.join('')
}

const DOCS = new URL('../../docs/', import.meta.url)

/** Replaces the lines between the two comments that name the block. */
export function writeBlock(document: string, name: string, lines: readonly string[]): void {
  const path = new URL(document, DOCS)
  writeFileSync(path, withBlock(readFileSync(path, 'utf8'), name, lines))
}

export function withBlock(text: string, name: string, lines: readonly string[]): string {
  const [begin, end] = [`<!-- ${name}: made by npm run bench -->`, `<!-- end of ${name} -->`]
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`there is no place for "${name}"`)
  return `${text.slice(0, from)}${begin}\n\n${lines.join('\n')}\n\n${text.slice(to)}`
}

export function markdownTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    line(heads),
    `|${heads.map((_, at) => (at === 0 ? '---|' : '---:|')).join('')}`,
    ...rows.map(line),
  ]
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
