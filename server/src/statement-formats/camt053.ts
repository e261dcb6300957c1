// A statement as ISO 20022 camt.053.001.08, so that accounting software reads the wallet as it
// reads a bank account. Elements are written in the order of the schema. Texts keep its limits: a
// reference that is too long for its element is left out there, and the remittance text has every
// reference whole.
import { createHash } from 'node:crypto'
import XMLBuilder from 'fast-xml-builder'
import type { RowTotals, StatementRow } from '../domain/books/account-statement.ts'
import { dayOf, dayText, startOfDay, zonedTimeText } from '../domain/countries/business-day.ts'
import { CURRENCY } from '../domain/payments/money.ts'
import { chunksOf } from './table.ts'
import { kindText, labelOf, type Words } from './words.ts'
import type { NamedStatement } from './writing.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'
export const CAMT053_START = `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}"><BkToCstmrStmt>`
const ISSUER = 'KARBA'
/** The code of ISO 20022 for a reference that the parties did not give. */
const NOT_PROVIDED = 'NOTPROVIDED'

/** A row takes 90 µs, four times as much as in the other formats. */
const ROWS_PER_CHUNK = 25

const xml = new XMLBuilder({ ignoreAttributes: false })

/** After the start. */
export async function* camt053(
  statements: readonly NamedStatement[],
  words: Words,
  createdAt: number,
): AsyncGenerator<string> {
  const message = createHash('sha256')
    .update(statements.map(walletHash).join(' '))
    .digest('hex')
    .slice(0, 16)
  const header = { MsgId: `${createdAt}-${message}`, CreDtTm: zonedTimeText(createdAt) }
  yield xml.build({ GrpHdr: header })
  for (const statement of statements) {
    yield `<Stmt>${xml.build(statementOf(statement, walletHash(statement), createdAt))}`
    yield* chunksOf(
      statement.rows,
      (row) => xml.build({ Ntry: entryOf(row, words) }),
      ROWS_PER_CHUNK,
    )
    if (statement.isShared) yield xml.build({ AddtlStmtInf: words.sharedWallet })
    yield '</Stmt>'
  }
  yield '</BkToCstmrStmt></Document>\n'
}

/** The same in every statement of one wallet, and different in all others. */
const walletHash = ({ accountId, connection }: NamedStatement): string =>
  createHash('sha256').update(`${accountId} ${connection}`).digest('hex').slice(0, 16)

function statementOf(statement: NamedStatement, wallet: string, createdAt: number) {
  const {
    accountId,
    connection,
    connectionName,
    merchantName,
    fromDay,
    toDay,
    openingXof,
    closingXof,
    totals,
  } = statement
  const compact = (day: number): string => dayText(day).replaceAll('-', '')
  const bookedXof = openingXof + totals.confirmedChangeXof
  return {
    Id: `${compact(fromDay)}-${compact(toDay)}-${wallet}`,
    CreDtTm: zonedTimeText(createdAt),
    FrToDt: {
      FrDtTm: zonedTimeText(startOfDay(fromDay)),
      ToDtTm: zonedTimeText(startOfDay(toDay + 1) - 1),
    },
    Acct: {
      Id: { Othr: { Id: `${accountId.slice(0, 17)}-${wallet}`, SchmeNm: { Prtry: ISSUER } } },
      Ccy: CURRENCY,
      Nm: cut(connectionName, 70),
      Ownr: { Nm: cut(merchantName, 140) },
      // Some readers refuse an account without the institution that keeps it.
      Svcr: { FinInstnId: { Nm: cut(connectionName, 140), Othr: { Id: cut(connection, 35) } } },
    },
    // The closing booked balance has only booked entries. The expected balance has the pending ones
    // too.
    Bal: [
      balanceOf('OPBD', openingXof, fromDay),
      balanceOf('CLBD', bookedXof, toDay),
      ...(bookedXof === closingXof ? [] : [balanceOf('XPCD', closingXof, toDay)]),
    ],
    TxsSummry: summaryOf(totals),
  }
}

/** The schema has amounts without a sign, and the currency has no decimals. */
const sideOf = (xof: number): 'CRDT' | 'DBIT' => (xof < 0 ? 'DBIT' : 'CRDT')
const amountOf = (xof: number) => ({ '@_Ccy': CURRENCY, '#text': Math.abs(xof) })

const balanceOf = (code: string, xof: number, day: number) => ({
  Tp: { CdOrPrtry: { Cd: code } },
  Amt: amountOf(xof),
  CdtDbtInd: sideOf(xof),
  Dt: { Dt: dayText(day) },
})

function summaryOf({ credits, creditedXof, debits, debitedXof }: RowTotals) {
  const netXof = creditedXof - debitedXof
  const net = { Amt: Math.abs(netXof), CdtDbtInd: sideOf(netXof) }
  return {
    TtlNtries: { NbOfNtries: credits + debits, Sum: creditedXof + debitedXof, TtlNetNtry: net },
    TtlCdtNtries: { NbOfNtries: credits, Sum: creditedXof },
    TtlDbtNtries: { NbOfNtries: debits, Sum: debitedXof },
  }
}

function entryOf(row: StatementRow, words: Words) {
  const amount = { Amt: amountOf(row.amountXof), CdtDbtInd: sideOf(row.amountXof) }
  return {
    NtryRef: row.entry,
    ...amount,
    RvslInd: row.kind === 'reversal' ? 'true' : undefined,
    Sts: { Cd: row.isConfirmed ? 'BOOK' : 'PDNG' },
    BookgDt: { Dt: dayText(dayOf(row.bookedAt)) },
    ValDt: { Dt: dayText(row.day) },
    AcctSvcrRef: whole(row.operatorReference),
    BkTxCd: { Prtry: { Cd: row.kind.toUpperCase(), Issr: ISSUER } },
    NtryDtls: {
      TxDtls: {
        Refs: referencesOf(row),
        ...amount,
        RmtInf: { Ustrd: pieces(labelOf(row, words), 140) },
        RltdDts: { TxDtTm: zonedTimeText(row.bookedAt) },
      },
    },
    AddtlNtryInf: kindText(row, words),
  }
}

function referencesOf(row: StatementRow) {
  const ours = [
    { Tp: 'PAYMENT_CODE', Ref: whole(row.publicReference) },
    { Tp: 'REFUND_REFERENCE', Ref: whole(row.refundReference) },
  ]
  return {
    AcctSvcrRef: whole(row.operatorReference),
    EndToEndId: whole(row.externalReference) ?? NOT_PROVIDED,
    TxId: whole(row.reference),
    Prtry: ours.filter(({ Ref }) => Ref !== undefined),
  }
}

/** Without the characters that XML cannot hold, and with single blanks. */
const clean = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\ufffe\uffff]/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim()

/** The schema counts code points, and has no empty texts. */
function pieces(text: string, longest: number): string[] {
  const characters = [...clean(text)]
  const starts = Array.from(
    { length: Math.ceil(characters.length / longest) },
    (_, piece) => piece * longest,
  )
  return starts.map((start) => characters.slice(start, start + longest).join(''))
}

const cut = (text: string, longest: number): string | undefined => pieces(text, longest)[0]

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * A reference that fits; undefined for none. A UUID is one character too long, and fits without its
 * hyphens.
 */
function whole(reference: string): string | undefined {
  const [first, ...rest] = pieces(
    UUID.test(reference) ? reference.replaceAll('-', '') : reference,
    35,
  )
  return rest.length === 0 ? first : undefined
}
