// Which line of a network's statement is which: a line that two files have is one, in whatever form
// each writes it. Pure.
import { hash } from 'node:crypto'
import type { StatementLine } from './statement.ts'

/** Shorter ones, and words without a digit, are no references of one movement. */
const SHORTEST_REFERENCE = 5

/**
 * As every form of a file has it: spreadsheets write a number as `9000000005.0`. Migration 0013
 * does the same.
 */
function plainReference(written: string): string | undefined {
  const plain = written.trim().toLowerCase().replace(/\.0$/, '')
  return plain.length >= SHORTEST_REFERENCE && /\d/.test(plain) ? plain : undefined
}

/**
 * By the network's own reference; undefined without one. A payment and its fee, a reversal, and
 * withheld and released money share a reference, and so do refunds in part: the type, the amount
 * with its sign, and the day belong to it.
 */
export function networkIdentity({
  type,
  amountXof,
  day,
  networkReference,
}: StatementLine): string | undefined {
  const reference = plainReference(networkReference)
  return reference && `${type} ${amountXof} ${day} ${reference}`
}

/**
 * By everything that the line says, without the balance and the row: another file of the same days
 * has others.
 */
export function contentIdentity(line: StatementLine): string {
  const said = [
    line.bookedAt,
    line.type,
    line.amountXof,
    line.feeXof,
    line.taxXof,
    line.networkReference,
    line.ourReference,
    line.counterparty,
    line.text,
  ]
  return hash('sha256', JSON.stringify(said), 'hex').slice(0, 32)
}
