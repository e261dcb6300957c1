// The statement of the simulated MTN MoMo: the file that its partner portal exports. There is no
// API for it. Fact, from public programs that read exports of other countries: the columns, dates
// as 2026-11-15 09:30:00, negative amounts for what went out, Successful, type words such as
// Payment, Refund, Cash out, and FRI:…/MSISDN. Fact, from MTN: External id is the externalId of the
// request. Assumed: that Benin's export is the same, commas, local time, Hold, the form of FRI for
// other parties, that Fee is not in Amount, and that failed operations are left out.
import type { Tariff } from '../network.ts'
import { csvOf, type Line, localTime, type Moved, percentage, settlesAll } from '../statements.ts'
import { type Operation, succeededAt } from './wallet.ts'

/** Assumed: MTN publishes no tariff of Benin. */
export const MTN_TARIFF: Tariff = percentage(1_000)
export const MTN_SETTLEMENT = settlesAll((day) => `9${day}`)

const KINDS = { requesttopay: 'payment', refund: 'refund', transfer: 'transfer' } as const

export function movementsOf(operations: readonly Operation[], now: number): Moved<Operation>[] {
  return operations.flatMap((operation) => {
    const { kind, refundOf, financialTransactionId, externalId = '', party, amount } = operation
    const at = succeededAt(operation)
    if (at > now) return []
    const id = refundOf ?? operation.id
    const names = {
      id,
      reference: financialTransactionId,
      clientReference: externalId,
      msisdn: party.partyId,
    }
    const amountXof = kind === 'requesttopay' ? amount : -amount
    return [{ ...names, kind: KINDS[kind], at, amountXof, of: operation }]
  })
}

export const unknownReferences = (number: number) => ({
  reference: String(8_000_000_000 + number),
  clientReference: `CAISSE-${number}`,
})

const HEADING = [
  'Id',
  'External id',
  'Date',
  'Status',
  'Type',
  'From',
  'From Name',
  'To',
  'To Name',
  'Amount',
  'Fee',
  'Balance',
]
const MERCHANT = ['FRI:simulated.merchant/USER', 'SIMULATED MERCHANT']
const BANK = ['FRI:simulated.bank/BANK', 'SIMULATED BANK']
const MTN = ['FRI:mtn.reserve/USER', 'MTN']
const TYPES = {
  payment: 'Payment',
  refund: 'Refund',
  transfer: 'Transfer',
  fee: 'Fee',
  settlement: 'Cash out',
  withheld: 'Hold',
} as const

export function writeStatement(lines: readonly Line<Operation>[]): { bytes: Uint8Array } {
  const rows = lines.map((line) => {
    const { date, time } = localTime(line.at)
    const other = otherParty(line)
    const [from, to] = line.amountXof < 0 ? [MERCHANT, other] : [other, MERCHANT]
    const head = [
      line.reference,
      line.clientReference,
      `${date.join('-')} ${time}`,
      'Successful',
      TYPES[line.kind],
    ]
    return [...head, ...from, ...to, line.amountXof, line.feeXof, line.balanceXof]
  })
  return { bytes: csvOf(HEADING, rows) }
}

function otherParty({ kind, msisdn }: Line<Operation>): string[] {
  if (kind === 'settlement') return BANK
  return kind === 'withheld' ? MTN : [`FRI:${msisdn}/MSISDN`, 'SIMULATED PAYER']
}
