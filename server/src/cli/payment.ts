// karba payment, refund, anomalies: what the service's operator wants to know and do about a payment.
import { Command } from 'commander'
import { refundPayment } from '../actions/payments/refund-payment.ts'
import { type MadeMove, statusAt } from '../domain/payment-status.ts'
import { listAnomalies } from '../store/payments/anomalies.ts'
import { listStory, type StoryEntry } from '../store/payments/payment-story.ts'
import { findOperatorPayment, findStatus } from '../store/payments/pending-payments.ts'
import { numbersFor } from '../store/service/numbers.ts'
import { time } from './arguments.ts'
import { ACTOR, CommandFailed, isoTime, say, table, withRuntime } from './open.ts'

export function paymentCommand(): Command {
  return new Command('payment')
    .description('Tells the story of a payment: every exchange with its operator and every move, in order.')
    .argument('<reference>', 'the service’s reference')
    .option('--at <time>', 'as it was known at that time: 2026-11-15T09:30:00Z', time)
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExamples:\n  npm run -s karba -- payment 60dvs8n73hy897smacktapcy\n  npm run -s karba -- payment 60dvs8n73hy897smacktapcy --at 2026-11-15T09:30:00Z',
    )
    .action(tell)
}

export function refundCommand(): Command {
  return new Command('refund')
    .description(
      'Asks the operator to give a succeeded payment back in full. It is refunded once the operator says so.',
    )
    .argument('<reference>', 'the service’s reference')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- refund 60dvs8n73hy897smacktapcy')
    .action(refund)
}

export function anomaliesCommand(): Command {
  return new Command('anomalies')
    .description('Lists what no rule can decide: a success after a failure, an amount that is not the one asked for.')
    .option('--json', 'print a JSON array')
    .addHelpText('after', '\nExample:\n  npm run -s karba -- anomalies')
    .action(anomalies)
}

async function tell(reference: string, options: { at?: number; json?: boolean }): Promise<void> {
  const told = await withRuntime(async ({ db }) => {
    const payment = await findOperatorPayment(db, reference)
    if (payment === undefined) throw noSuchPayment(reference)
    const { accountId, number } = payment
    const story = await listStory(db, accountId, number)
    if (options.at !== undefined) return { payment, ...asOf(options.at, payment.createdAt, story) }
    return { payment, status: await findStatus(db, accountId, number), story }
  })
  const { payment, status, story } = told
  // Before its first move it was what that one left.
  const began = story.find(({ kind }) => kind === 'moved')?.detail.from
  const at = options.at === undefined ? undefined : isoTime(options.at)
  const body = {
    reference,
    status,
    ...(at !== undefined && { as_of: at }),
    account: payment.accountId,
    external_reference: payment.externalReference,
    amount: payment.amountXof,
    operator: payment.operator,
    created_at: isoTime(payment.createdAt),
    story: story.map(({ at, kind, detail }) => ({ at: isoTime(at), kind, ...detail })),
  }
  say(options.json, body, [
    `${reference}  ${payment.publicReference}  ${payment.amountXof} XOF  ${status}${at === undefined ? '' : ` at ${at}`}`,
    `${payment.environment}  ${payment.accountId}  ${payment.operator}  ${payment.externalReference}`,
    '',
    ...table([
      [isoTime(payment.createdAt), '', `recorded as ${began ?? status}`],
      ...story.map((entry) => line(entry, payment.createdAt)),
    ]),
  ])
}

/** What was known then: the moves and the words up to that time. */
function asOf(at: number, createdAt: number, story: StoryEntry[]): { status: string; story: StoryEntry[] } {
  const moves = story
    .filter(({ kind }) => kind === 'moved')
    .map((entry) => ({ at: entry.at, ...entry.detail }) as MadeMove)
  const status = statusAt(moves, createdAt, at)
  if (status === undefined) {
    throw new CommandFailed(`At ${isoTime(at)} there was no such payment: it was recorded at ${isoTime(createdAt)}.`)
  }
  return { status, story: story.filter((entry) => entry.at <= at) }
}

function line({ at, kind, detail }: StoryEntry, createdAt: number): string[] {
  const { is, ms, ...rest } = detail as { is?: string; ms?: number }
  const more = Object.entries(rest).map(([name, value]) => `${name} ${String(value)}`)
  const words = [is, ...more].filter((word) => word !== undefined).join(', ')
  return [
    isoTime(at),
    `+${((at - createdAt) / 1_000).toFixed(1)} s`,
    `${kind.replaceAll('_', ' ')}: ${words}${ms === undefined ? '' : ` (${ms} ms)`}`,
  ]
}

async function refund(reference: string, options: { json?: boolean }): Promise<void> {
  const answer = await withRuntime((runtime) => {
    const { db } = runtime
    const deps = { ...runtime, nextStoryEntry: storyNumbers(db) }
    return refundPayment(deps, reference, ACTOR)
  })
  if ('refundReference' in answer) {
    const body = { refund_reference: answer.refundReference, status: 'pending' }
    return say(options.json, body, [`The refund ${answer.refundReference} is on its way to the operator.`])
  }
  if (answer.not === 'found') throw noSuchPayment(reference)
  if (answer.not === 'again') throw new CommandFailed('This payment has been refunded, or its refund is on its way.')
  throw new CommandFailed(`Only a succeeded payment can be refunded; this one is ${answer.status}.`)
}

async function anomalies(options: { json?: boolean }): Promise<void> {
  const rows = await withRuntime(({ db }) => listAnomalies(db))
  const bodies = rows.map((row) => ({
    reference: row.reference,
    account: row.account_id,
    kind: row.kind,
    at: isoTime(row.at),
    detail: JSON.parse(row.detail),
  }))
  const lines = rows.map((row) => [isoTime(row.at), row.reference, row.kind, row.detail])
  say(options.json, bodies, lines.length === 0 ? ['There is nothing to look at.'] : table(lines))
}

const noSuchPayment = (reference: string): CommandFailed => new CommandFailed(`There is no payment ${reference}.`)
