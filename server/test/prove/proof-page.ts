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

/** The page with the rows of what was shown now; the others stay as they are on the page of before. */
export function proofPage(shown: Readonly<Record<number, Shown>>, before: string): string {
  const day = new Date().toISOString().slice(0, 10)
  const rowsBefore = before.split('\n')
  const rows = PROMISES.map(({ number, about }) => {
    const promised = `| ${number} | ${about} |`
    const now = shown[number]
    if (now !== undefined) return `${promised} ${result(now)} | ${day} |`
    // A promise that says something else by now was not shown.
    return rowsBefore.find((row) => row.startsWith(`${promised} `)) ?? `${promised} not run | | | |`
  })
  const memory = Math.round(totalmem() / GIB)
  const system = SYSTEMS[process.platform] ?? process.platform
  return [
    '# Proof',
    '',
    'Made by `npm run prove`: the long form of each promise, by the same tests that `npm run test:all` runs with fewer tries. A break is a test that',
    'failed. A promise that nothing shows yet says why; it does not count as kept. Each row is the last run of its promise, with its day.',
    '',
    `Machine: ${availableParallelism()} cores, ${memory} GiB of memory, Node ${process.versions.node}, ${system}.`,
    '',
    '| | promise | tries | breaks | seconds | on |',
    '|---|---|---:|---:|---:|---|',
    ...rows,
    '',
  ].join('\n')
}

function result({ notYet, scale, tries, breaks, seconds }: Shown): string {
  if (notYet !== undefined) return `not yet: ${notYet} | | `
  const part = scale === 1 ? '' : ` (scale ${scale})`
  return `${tries.toLocaleString('en')}${part} | ${breaks} | ${seconds}`
}
