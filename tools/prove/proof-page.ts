// Writes docs/proof.md: the result of each promise's last run, and the machine.
import { availableParallelism, totalmem } from 'node:os'
import { PROMISES } from './promises.ts'

/** The result of one promise. */
export interface Shown {
  tries: number
  breaks: number
  seconds: number
  /** The share of the long form that was run. */
  scale: number
  /** What its tests show below the table. */
  text: string
}

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = {
  linux: 'Linux',
  win32: 'Windows',
  darwin: 'macOS',
}
const GIB = 1024 ** 3

/** The page with new rows for the promises of this run; other rows stay. */
export function proofPage(shown: Readonly<Record<number, Shown>>, before: string): string {
  const day = new Date().toISOString().slice(0, 10)
  const rowsBefore = before.split('\n')
  const rows = PROMISES.map(({ number, about }) => {
    const promised = `| ${number} | ${about} |`
    const now = shown[number]
    if (now !== undefined) return `${promised} ${result(now)} | ${day} |`
    // A promise whose text changed was not run.
    return rowsBefore.find((row) => row.startsWith(`${promised} `)) ?? `${promised} not run | | | |`
  })
  const memory = Math.round(totalmem() / GIB)
  const system = SYSTEMS[process.platform] ?? process.platform
  return [
    '# Proof',
    '',
    "`npm run prove` runs the long form of each promise, by the tests that `npm run test:all` runs with fewer tries. Each row is the promise's last run. A",
    'break is a failed test.',
    '',
    `Machine: ${availableParallelism()} cores, ${memory} GiB of memory, Node ${process.versions.node}, ${system}.`,
    '',
    '| | promise | tries | breaks | seconds | on |',
    '|---|---|---:|---:|---:|---|',
    ...rows,
    '',
    ...sections(shown, before),
  ].join('\n')
}

/** The texts of this run's promises, and those of the others as they were. */
function sections(shown: Readonly<Record<number, Shown>>, before: string): string[] {
  const [, ...textsBefore] = before.split(/^(?=## Promise )/m)
  return PROMISES.flatMap(({ number }) => {
    const heading = `## Promise ${number}\n`
    const now = shown[number]
    if (now === undefined) return textsBefore.filter((text) => text.startsWith(heading))
    return now.text === '' ? [] : [`${heading}\n${now.text}\n`]
  })
}

function result({ scale, tries, breaks, seconds }: Shown): string {
  const part = scale === 1 ? '' : ` (scale ${scale})`
  return `${tries.toLocaleString('en')}${part} | ${breaks} | ${seconds}`
}
