// docs/proof.md: what the last runs of npm run prove have shown, on which kind of machine.
import { availableParallelism, totalmem } from 'node:os'
import { PROMISES } from './promises.ts'

/** What came of one promise. */
export interface Shown {
  tries: number
  breaks: number
  seconds: number
  /** The share of the long form that was run. */
  scale: number
  notYet?: string
}

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = { linux: 'Linux', win32: 'Windows', darwin: 'macOS' }
const GIB = 1024 ** 3

export function proofPage(shown: Readonly<Record<number, Shown>>): string {
  const rows = PROMISES.map(({ number, about }) => `| ${number} | ${about} | ${result(shown[number])} |`)
  const memory = Math.round(totalmem() / GIB)
  const system = SYSTEMS[process.platform] ?? process.platform
  const day = new Date().toISOString().slice(0, 10)
  return [
    '# Proof',
    '',
    'Made by `npm run prove`: the long form of each promise, by the same tests that `npm test` runs with fewer tries. A break is a test that',
    'failed. A promise that nothing shows yet says why; it does not count as kept. Each row is the last run of its promise: rows may be of',
    'different versions of that day.',
    '',
    `Run on ${day}: ${availableParallelism()} cores, ${memory} GiB of memory, Node ${process.versions.node}, ${system}.`,
    '',
    '| | promise | tries | breaks | seconds |',
    '|---|---|---:|---:|---:|',
    ...rows,
    '',
  ].join('\n')
}

function result(shown: Shown | undefined): string {
  if (shown === undefined) return 'not run | | '
  if (shown.notYet !== undefined) return `not yet: ${shown.notYet} | | `
  const part = shown.scale === 1 ? '' : ` (scale ${shown.scale})`
  return `${shown.tries.toLocaleString('en')}${part} | ${shown.breaks} | ${shown.seconds}`
}
