// How often a test tries. `npm test` runs the quick form of every promise, `npm run prove` the long
// one: the same tests, with more tries.
import { appendFileSync } from 'node:fs'

/**
 * Set by prove.ts: the share of the long form to run, and the file in which tests record their
 * tries.
 */
export const SCALE = 'KARBA_PROVE_SCALE'
export const NOTED_IN = 'KARBA_PROVE_TRIES'

/** The long form is never less than the quick one. */
export function tries(quick: number, long: number): number {
  const scale = process.env[SCALE]
  return scale === undefined ? quick : Math.max(quick, Math.round(long * Number(scale)))
}

/** Records how often a test that has not failed so far tried something. */
export function tried(count: number): void {
  const file = process.env[NOTED_IN]
  if (file !== undefined) appendFileSync(file, `${count}\n`)
}

/** Of the file with the text that docs/proof.md shows below its table. */
export const NOTED_TEXT = '.md'

/** Shows a text under the promise's number in docs/proof.md. */
export function showInProof(markdown: string): void {
  const file = process.env[NOTED_IN]
  if (file !== undefined) appendFileSync(`${file}${NOTED_TEXT}`, `${markdown}\n`)
}
