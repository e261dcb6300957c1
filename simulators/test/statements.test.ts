// Statements of the simulated networks: they add up, agree with the books, and differ only by
// planted faults.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openConnection } from '../../server/test/networks/harness.ts'
import { NETWORKS, type NetworkName } from '../../server/test/networks/networks.ts'
import {
  type ConformanceNetwork,
  type PlantedFault,
  STATEMENT_FAULTS,
  type Statement,
  type StatementFault,
} from '../src/network.ts'
import { startNetworkServer } from '../src/network-server.ts'
import { feeOf } from '../src/statements.ts'
import { ask } from './open-simulator.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Midnight in Niamey and Porto-Novo, after which the world's clock starts at 09:30 UTC. */
const FIRST_DAY = Date.UTC(2026, 10, 14, 23)
const dayOf = (day: number) => ({
  from: FIRST_DAY + day * DAY_MS,
  to: FIRST_DAY + (day + 1) * DAY_MS,
})

interface Row {
  type: string
  reference: string
  clientReference: string
  amountXof: number
  feeXof: number
  /** Undefined where the format has no balance in each row. */
  balanceXof: number | undefined
}

/**
 * The meaning of each file's columns and types. FedaPay's file lists transactions: its pages are
 * read instead.
 */
const FILES = {
  mtn: {
    types: { Payment: 'payment', Refund: 'refund', 'Cash out': 'settlement', Hold: 'withheld' },
    columns: ['Type', 'Id', 'External id', 'Amount', 'Fee', 'Balance'],
  },
  airtel: {
    types: { MR: 'payment', REFUND: 'refund', SCP: 'fee', MP: 'settlement', HOLD: 'withheld' },
    columns: [
      'Transaction Type',
      'Transaction ID',
      'external_transaction_id',
      'Transaction Amount',
      '',
      'Post Balance',
    ],
  },
  pawapay: {
    types: {
      Deposit: 'payment',
      Payout: 'refund',
      Fee: 'fee',
      Withdrawal: 'settlement',
      Adjustment: 'withheld',
    },
    columns: ['Type', 'Transaction ID', 'Transaction ID', 'Amount', '', ''],
  },
} as const

const textOf = ({ bytes }: Pick<Statement, 'bytes'>): string[][] =>
  Buffer.from(bytes)
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(','))

function readRows(name: NetworkName, statement: Statement): Row[] {
  if (name === 'fedapay') return readPages(statement)
  const { types, columns } = FILES[name]
  const rows = textOf(statement)
  const top = rows.findIndex((cells) => cells.includes(columns[0]))
  return rows.slice(top + 1).flatMap((cells): Row[] => {
    if (/balance/.test(cells[0] ?? '')) return []
    const [word = '', reference = '', clientReference = '', amount, fee, balance] = columns.map(
      (title) => cells[rows[top]?.indexOf(title) ?? -1],
    )
    const type = (types as Record<string, string>)[word]
    assert.ok(type, `a row of a known type: ${cells}`)
    const [amountXof = 0, feeXof = 0, balanceXof] = [amount, fee, balance].map(whole)
    return [{ type, reference, clientReference, amountXof, feeXof, balanceXof }]
  })
}

function whole(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  assert.match(text, /^-?\d+(\.00)?$/)
  return Number(text)
}

// biome-ignore lint/suspicious/noExplicitAny: the fields of FedaPay's answers
type Wire = Record<string, any>

function readPages({ pages = [] }: Statement): Row[] {
  const listed = (what: string): Wire[] =>
    pages.flatMap((page) => (page as Record<string, Wire[]>)[`v1/${what}`] ?? [])
  const payments = listed('transactions')
    .reverse()
    .flatMap((shown): Row[] => {
      const {
        amount,
        amount_transferred: net,
        approved_at: approved,
        refunded_at: refunded,
        flags,
      } = shown
      const about = {
        reference: String(shown.id),
        clientReference: shown.merchant_reference,
        balanceXof: undefined,
      }
      const row = (type: string, amountXof: number, feeXof = 0): Row => ({
        type,
        ...about,
        amountXof,
        feeXof,
      })
      return [
        ...(approved === null ? [] : [row('payment', amount, amount - net)]),
        ...(flags.length === 0 ? [] : [row('withheld', -amount)]),
        ...(refunded === null ? [] : [row('refund', -amount)]),
      ]
    })
  const payouts = listed('payouts').map(({ id, amount }) => ({
    type: 'settlement',
    reference: String(id),
    clientReference: '',
    amountXof: -amount,
    feeXof: 0,
    balanceXof: undefined,
  }))
  return [...payments, ...payouts]
}

const sumOf = (rows: readonly Row[]): number =>
  rows.reduce((sum, { amountXof, feeXof }) => sum + amountXof - feeXof, 0)

type Plain = Omit<Row, 'balanceXof' | 'reference'>

/** Without the network's own references: it draws them at random, as it draws the faults. */
const plain = (rows: readonly Row[]): Plain[] =>
  rows.map(({ balanceXof: _, reference: __, ...row }) => row)

const PAYMENTS_A_DAY = 8

/** Eight payments an hour apart, of which the first is refunded; ends after midnight. */
async function runDay(opened: ReturnType<typeof openConnection>, name: NetworkName, day: number) {
  const { clock, network, paid, refund } = opened
  for (let nth = 1; nth <= PAYMENTS_A_DAY; nth++) {
    const [number, amountXof] = [day * 100 + nth, 10_000 + 1_237 * nth]
    // FedaPay's dashboard refunds the payments of this number.
    const payer = name === 'fedapay' && nth === 1 ? { msisdn: '2290166000007' } : {}
    const answer = await paid({ amountXof, ...payer }, number)
    const operatorReference = 'operatorReference' in answer ? (answer.operatorReference ?? '') : ''
    if (nth === 1 && name !== 'fedapay') await refund({ amountXof, operatorReference }, number)
    await clock.advance(HOUR_MS)
  }
  await clock.advance(FIRST_DAY + (day + 1) * DAY_MS + HOUR_MS - clock.now())
  return network
}

interface Wanted {
  simulator?: object
  /** Plants faults at the end of each day, before its statement. */
  plant?: (network: ConformanceNetwork, day: number) => void
}

async function runDays(name: NetworkName, days: number, { simulator = {}, plant }: Wanted = {}) {
  const opened = openConnection(NETWORKS[name], {
    simulator: { settlesDaily: true, feesPaidBy: 'merchant', ...simulator },
  })
  const statements: Statement[] = []
  for (let day = 0; day < days; day++) {
    const network = await runDay(opened, name, day)
    plant?.(network, day)
    statements.push(network.statement(dayOf(day)))
  }
  return { ...opened, statements, rows: statements.map((statement) => readRows(name, statement)) }
}

const NAMES = Object.keys(NETWORKS) as NetworkName[]
/** FedaPay's statements have no balance. */
const kindsOf = (name: NetworkName): StatementFault[] =>
  (Object.keys(STATEMENT_FAULTS) as StatementFault[]).filter(
    (kind) => name !== 'fedapay' || kind !== 'balance_off',
  )

/** What a fault makes of the row of its payment; the row of a fee is `type: 'fee'`. */
const FAULTY: Record<StatementFault, (row: Plain, planted: PlantedFault) => Plain[]> = {
  missing_line: () => [],
  late_line: () => [],
  repeated_line: (row) => (row.type === 'fee' ? [row] : [row, row]),
  wrong_fee: (row, { offXof }) => [
    row.type === 'fee'
      ? { ...row, amountXof: row.amountXof - offXof }
      : { ...row, feeXof: row.feeXof + offXof },
  ],
  wrong_amount: (row, { offXof }) => [
    row.type === 'fee' ? row : { ...row, amountXof: row.amountXof + offXof },
  ],
  withheld: (row) => withAnother(row, { type: 'withheld', amountXof: -row.amountXof }),
  foreign_line: (row, { clientReference }) => withAnother(row, { clientReference }),
  refund_without_payment: (row, { clientReference }) =>
    withAnother(row, { type: 'refund', clientReference, amountXof: -row.amountXof }),
  balance_off: (row) => [row],
}

const withAnother = (row: Plain, changes: Partial<Plain>): Plain[] =>
  row.type === 'fee' ? [row] : [row, { ...row, feeXof: 0, ...changes }]

/** The rows of the days with the fault in those of the payment `at`. */
function withFault(days: readonly Row[][], planted: PlantedFault, at: string): Plain[][] {
  const { kind } = planted
  const clean = days.map(plain)
  const isOfPayment = ({ clientReference, type }: Plain): boolean =>
    clientReference === at && ['payment', 'fee'].includes(type)
  const own = clean[0]?.filter(isOfPayment) ?? []
  // A fee with a row of its own is not in the row of the payment.
  const isUntouched = ({ type }: Plain): boolean =>
    kind === 'wrong_fee' && own.length > 1 && type === 'payment'
  const [first = [], second = []] = clean.map((rows) =>
    rows.flatMap((row) =>
      !isOfPayment(row) || isUntouched(row) ? [row] : FAULTY[kind](row, planted),
    ),
  )
  return [first, kind === 'late_line' ? [...own, ...second] : second].map((rows) =>
    rows.sort(byText),
  )
}

/** Rows of one time have no order of their own. */
const byText = (a: Plain, b: Plain): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

for (const name of NAMES) {
  describe(`statements of the simulated ${name}`, () => {
    it('has each debit, refund and fee of the books once, and settles what was gained', async () => {
      const { network, rows } = await runDays(name, 4)
      const all = rows.flat()
      const ofType = (type: string): number[] =>
        all.filter((row) => row.type === type).map(({ amountXof }) => Math.abs(amountXof))
      const books = network.books()
      const paid = books.flatMap(({ debits, amountXof }) => Array<number>(debits).fill(amountXof))
      const refunded = books.flatMap(({ refunds, amountXof }) =>
        Array<number>(refunds).fill(amountXof),
      )
      const fees = paid.map((amountXof) => feeOf(amountXof, network.tariff))
      const inRows = all.filter(({ feeXof }) => feeXof > 0).map(({ feeXof }) => feeXof)
      assert.deepEqual([ofType('payment'), ofType('refund')], [paid, refunded])
      assert.deepEqual([paid.length, refunded.length], [4 * PAYMENTS_A_DAY, 4])
      assert.deepEqual([...inRows, ...ofType('fee')], fees)
      assert.ok(fees.every((fee) => fee > 0))
      // FedaPay's money is available after three days.
      assert.equal(ofType('settlement').length, name === 'fedapay' ? 1 : 4)
    })

    it('adds up: rows are closing minus opening, row by row, and the next day continues', async () => {
      const { statements, rows } = await runDays(name, 3)
      for (const [day, { openingXof, closingXof }] of statements.entries()) {
        const own = rows[day] as Row[]
        assert.equal(sumOf(own), closingXof - openingXof)
        if (day > 0) assert.equal(openingXof, statements[day - 1]?.closingXof)
        let balanceXof = openingXof
        for (const row of own.filter((each) => each.balanceXof !== undefined)) {
          balanceXof += row.amountXof - row.feeXof
          assert.equal(row.balanceXof, balanceXof)
        }
        if (name !== 'pawapay') continue
        const text = textOf(statements[day] as Statement)
        const ends = [text[1], text.at(-1)].map((cells) => [cells?.[0], cells?.[3]])
        assert.deepEqual(ends, [
          ['Opening balance', `${openingXof}.00`],
          ['Closing balance', `${closingXof}.00`],
        ])
      }
    })

    it('is the same for one period and for its days, and each time it is asked for', async () => {
      const { network, statements } = await runDays(name, 2)
      const whole = network.statement({ from: dayOf(0).from, to: dayOf(1).to })
      const days = statements.map((statement) => plain(readRows(name, statement)))
      assert.deepEqual(plain(readRows(name, whole)), days.flat())
      assert.deepEqual(network.statement(dayOf(0)), statements[0])
    })

    for (const kind of kindsOf(name)) {
      it(`has a planted ${kind}, and differs in nothing else`, async () => {
        const plant = (network: ConformanceNetwork, day: number): void => {
          if (day > 0) return
          const { id } = network.books()[3] ?? { id: '' }
          assert.equal(network.plant({ kind, reference: id })?.kind, kind)
          assert.equal(
            network.plant({ kind, reference: id }),
            undefined,
            'one fault for each payment',
          )
        }
        const clean = await runDays(name, 2)
        const at = clean.rows[0]?.filter(({ type }) => type === 'payment')[3]?.clientReference ?? ''
        const faulty = await runDays(name, 2, { plant })
        const [planted] = faulty.network.planted()
        assert.ok(planted)
        assert.deepEqual(
          faulty.rows.map((rows) => plain(rows).sort(byText)),
          withFault(clean.rows, planted, at),
        )
        assert.deepEqual(faulty.network.books(), clean.network.books())
        const isThere = faulty.rows.flat().some(({ reference }) => reference === planted.reference)
        assert.equal(isThere, kind !== 'missing_line')
        const [first, second] = faulty.statements as [Statement, Statement]
        assert.deepEqual(
          [first.planted, second.planted],
          [[planted], kind === 'late_line' ? [planted] : []],
        )
        const offXof = kind === 'balance_off' ? planted.offXof : 0
        assert.equal(first.closingXof - first.openingXof, sumOf(faulty.rows[0] as Row[]) + offXof)
        assert.equal(second.openingXof, first.closingXof)
        assert.equal(second.closingXof - second.openingXof, sumOf(faulty.rows[1] as Row[]))
        assert.ok(
          planted.offXof > 0 === ['wrong_fee', 'wrong_amount', 'balance_off'].includes(kind),
        )
      })
    }

    it('the seed chooses kinds and payments: the same seed gives the same bytes', async () => {
      const plant = (network: ConformanceNetwork): void => {
        for (let nth = 0; nth < 5; nth++) assert.ok(network.plant())
      }
      const [one, other] = [await runDays(name, 2, { plant }), await runDays(name, 2, { plant })]
      assert.deepEqual(one.statements, other.statements)
      assert.equal(one.network.planted().length, 10)
      assert.equal(new Set(one.network.planted().map(({ reference }) => reference)).size, 10)
      for (const [day, { openingXof, closingXof, planted }] of one.statements.entries()) {
        const off = planted.filter(
          ({ kind, at }) => kind === 'balance_off' && at >= dayOf(day).from,
        )
        const offXof = off.reduce((sum, each) => sum + each.offXof, 0)
        assert.equal(closingXof - openingXof, sumOf(one.rows[day] as Row[]) + offXof)
      }
    })

    it('plants nothing in a line that a statement has shown, and forgets all on reset', async () => {
      const { network, clock } = await runDays(name, 1)
      assert.equal(network.plant(), undefined)
      assert.equal(network.plant({ kind: 'foreign_line' }), undefined)
      network.reset()
      await clock.advance(HOUR_MS)
      const { openingXof, closingXof } = network.statement(dayOf(0))
      assert.deepEqual([openingXof, network.planted()], [closingXof, []])
    })
  })
}

it('statements without settlements and without fees leave the money in the wallet', async () => {
  const { network, rows } = await runDays('fedapay', 2, {
    simulator: { settlesDaily: false, feesPaidBy: 'payer' },
  })
  assert.deepEqual([...new Set(rows.flat().map(({ type }) => type))].sort(), ['payment', 'refund'])
  assert.ok(rows.flat().every(({ feeXof }) => feeXof === 0))
  assert.equal(network.tariff.rate, 0)
})

describe('balances of the simulated networks equal the closing balance of a statement without faults', () => {
  const BALANCES: Record<NetworkName, (answer: { body: unknown }) => unknown> = {
    mtn: ({ body }) => (body as { availableBalance: string }).availableBalance,
    airtel: ({ body }) =>
      (body as { data: { balance: string } }).data.balance.replace(/,|\.00/g, ''),
    fedapay: ({ body }) =>
      String((body as { 'v1/balances': { amount: number }[] })['v1/balances'][0]?.amount),
    pawapay: ({ body }) =>
      (body as { balances: { balance: string }[] }).balances[0]?.balance.replace('.00', ''),
  }
  const PATHS: Record<NetworkName, string> = {
    mtn: '/collection/v1_0/account/balance',
    airtel: '/standard/v1/users/balance',
    fedapay: '/v1/balances',
    pawapay: '/v2/wallet-balances',
  }
  for (const name of NAMES) {
    it(name, async () => {
      const { network, calls, statements, request } = await runDays(name, 2)
      // A request renews the connection's token, whose headers serve here.
      await request({}, 999)
      const headers = { ...calls.at(-1)?.headers, 'x-country': 'NE', 'x-currency': 'XOF' }
      const shown = BALANCES[name](ask(network, `GET ${PATHS[name]}`, { headers }))
      assert.equal(shown, String(statements.at(-1)?.closingXof))
    })
  }
})

describe('statements of the simulated pawapay by API', () => {
  const HEADERS = {
    authorization: 'Bearer simulated-pawapay-token',
    'content-type': 'application/json',
  }
  const text = (at: number): string => new Date(at).toISOString().slice(0, 19)
  const ORDER = {
    wallet: { country: 'BEN', currency: 'XOF' },
    callbackUrl: 'https://karba.example/statements',
    startDate: text(dayOf(0).from),
    endDate: text(dayOf(0).to),
    compressed: false,
  }

  it('makes the file after the request, calls back, and gives it for a day, as CSV or GZIP', async () => {
    for (const compressed of [false, true]) {
      const { network, clock, callbacks, statements } = await runDays('pawapay', 1)
      const { body } = ask(network, 'POST /v2/statements', {
        headers: HEADERS,
        body: { ...ORDER, compressed },
      })
      const { statementId, status } = body
      const show = () =>
        ask(network, `GET /v2/statements/${statementId}`, { headers: HEADERS }).body
      assert.deepEqual(
        [status, show().data.status, show().data.downloadUrl],
        ['ACCEPTED', 'PROCESSING', undefined],
      )
      await clock.advance(5_000)
      const { data } = show()
      assert.deepEqual([data.status, callbacks.at(-1)?.url], ['COMPLETED', ORDER.callbackUrl])
      assert.deepEqual(JSON.parse(callbacks.at(-1)?.body ?? ''), data)
      const file = () => ask(network, `GET ${new URL(data.downloadUrl).pathname}`)
      const bytes = compressed ? gunzipSync(file().body) : Buffer.from(file().body)
      assert.deepEqual(bytes, Buffer.from(statements[0]?.bytes ?? []))
      assert.equal(data.fileSize, Buffer.from(file().body).length)
      await clock.advance(DAY_MS)
      assert.equal(file().code, 403)
    }
  })

  const REFUSED: [about: string, changes: object, http: number, code: string][] = [
    ['more than 31 days', { endDate: text(dayOf(32).from) }, 200, 'INVALID_DATE_RANGE'],
    [
      'an end before its start',
      { endDate: ORDER.startDate, startDate: ORDER.endDate },
      200,
      'INVALID_DATE_RANGE',
    ],
    ['another wallet', { wallet: { country: 'ZMB', currency: 'ZMW' } }, 200, 'WALLET_NOT_FOUND'],
    ['no wallet', { wallet: undefined }, 400, 'MISSING_PARAMETER'],
    ['a wallet without a country', { wallet: { currency: 'XOF' } }, 400, 'MISSING_PARAMETER'],
    ['a date without a time', { startDate: '2026-11-15' }, 400, 'INVALID_PARAMETER'],
    ['a date that is none', { startDate: '2026-13-15T00:00:00' }, 400, 'INVALID_PARAMETER'],
    ['an unknown field', { format: 'csv' }, 400, 'UNSUPPORTED_PARAMETER'],
  ]
  for (const [about, changes, http, failureCode] of REFUSED) {
    it(`refuses ${about}: ${failureCode}`, () => {
      const { network } = openConnection(NETWORKS.pawapay)
      const { code, body } = ask(network, 'POST /v2/statements', {
        headers: HEADERS,
        body: { ...ORDER, ...changes },
      })
      assert.deepEqual(
        [code, body.status, body.failureReason.failureCode],
        [http, 'REJECTED', failureCode],
      )
    })
  }

  it('shows a deposit 20 minutes later, and does not know other statements', async () => {
    const { network, clock, paid } = openConnection(NETWORKS.pawapay)
    await paid()
    const rows = () => readRows('pawapay', network.statement(dayOf(0))).length
    assert.equal(rows(), 0)
    await clock.advance(20 * 60_000)
    assert.equal(rows(), 2)
    const id = '00000000-0000-4000-8000-000000000001'
    assert.deepEqual(ask(network, `GET /v2/statements/${id}`, { headers: HEADERS }).body, {
      status: 'NOT_FOUND',
    })
    assert.equal(ask(network, `GET /statement-files/${id}.csv`).code, 404)
  })
})

describe('the summary of the simulated airtel by API', () => {
  it('has the rows of the file, in pages by limit and offset', async () => {
    const { network, calls, request, rows, statements } = await runDays('airtel', 1, {
      plant: (planting) => void planting.plant({ kind: 'repeated_line' }),
    })
    await request({}, 999)
    const headers = { ...calls.at(-1)?.headers, 'x-country': 'NE', 'x-currency': 'XOF' }
    const { from, to } = dayOf(0)
    const page = (offset: number, limit = 4) =>
      ask(
        network,
        `GET /merchant/v1/transactions?from=${from}&to=${to}&limit=${limit}&offset=${offset}`,
        { headers },
      )
    const pages = [0, 4, 8].map((offset) => page(offset).body.data)
    const listed = pages.flatMap(({ transactions }) => transactions)
    const shown = listed.map(({ transaction, charges, payer }) => [
      transaction.airtel_money_id,
      transaction.id,
      Number(transaction.amount) * (payer.name === 'SIMULATED MERCHANT' ? -1 : 1),
      Number(charges.service),
    ])
    const own = rows[0] as Row[]
    const feeOfRow = ({ type, reference }: Row): number =>
      type === 'payment'
        ? -(own.find((row) => row.type === 'fee' && row.reference === reference)?.amountXof ?? 0)
        : 0
    assert.deepEqual(
      shown,
      own
        .filter(({ type }) => type !== 'fee')
        .map((row) => [row.reference, row.clientReference, row.amountXof, feeOfRow(row)]),
    )
    assert.deepEqual([listed.length, pages[0].count], [11, 11])
    assert.deepEqual(statements[0]?.pages, [page(0, 100).body])
    assert.equal(
      ask(network, 'GET /merchant/v1/transactions', { headers }).body.status.success,
      false,
    )
  })
})

describe('the search of the simulated fedapay by API', () => {
  const HEADERS = { authorization: 'Bearer sk_sandbox_simulated-secret-key' }
  const search = (network: ConformanceNetwork, what: string) =>
    ask(network, `GET /v1/${what}/search?per_page=100`, { headers: HEADERS }).body[`v1/${what}`]

  /** What a planted fault changes in the list of transactions. */
  const CHANGES: Record<
    Exclude<StatementFault, 'balance_off'>,
    (before: Wire[], after: Wire[], planted: PlantedFault) => void
  > = {
    repeated_line: (before, after) => assert.equal(after.length, before.length + 1),
    late_line: (before, after) => assert.equal(after.length, before.length - 1),
    missing_line: (before, after) => assert.equal(after.length, before.length - 1),
    wrong_fee: (before, after, { reference, offXof }) => {
      const [was, is] = [before, after].map((list) =>
        list.find(({ id }) => String(id) === reference),
      )
      assert.equal(is?.fees, was?.fees + offXof)
      assert.equal(is?.amount_transferred, was?.amount_transferred - offXof)
    },
    wrong_amount: (before, after, { reference, offXof }) => {
      const [was, is] = [before, after].map((list) =>
        list.find(({ id }) => String(id) === reference),
      )
      assert.equal(is?.amount, was?.amount + offXof)
    },
    withheld: (_, after, { reference }) =>
      assert.deepEqual(
        after.filter(({ flags }) => flags.length > 0).map(({ id }) => String(id)),
        [reference],
      ),
    foreign_line: (before, after, { reference }) => {
      const foreign = after.find(({ id }) => String(id) === reference)
      assert.deepEqual([after.length, foreign?.status], [before.length + 1, 'approved'])
    },
    refund_without_payment: (before, after, { reference }) => {
      const refund = after.find(({ id }) => String(id) === reference)
      assert.deepEqual(
        [after.length, refund?.status, refund?.approved_at],
        [before.length + 1, 'refunded', null],
      )
    },
  }

  for (const [kind, check] of Object.entries(CHANGES)) {
    it(`shows a planted ${kind}`, async () => {
      const opened = openConnection(NETWORKS.fedapay, { simulator: { feesPaidBy: 'merchant' } })
      await runDay(opened, 'fedapay', 0)
      const before = search(opened.network, 'transactions')
      const planted = opened.network.plant({ kind: kind as StatementFault })
      check(before, search(opened.network, 'transactions'), planted as PlantedFault)
    })
  }

  it('has the transactions and payouts of the statement’s pages', async () => {
    const { network, statements } = await runDays('fedapay', 4)
    const pages = statements.flatMap(({ pages = [] }) => pages) as Record<
      string,
      { id: number }[]
    >[]
    const ids = (what: string) =>
      pages.flatMap((page) => page[`v1/${what}`] ?? []).map(({ id }) => id)
    for (const what of ['transactions', 'payouts']) {
      const listed = search(network, what).map(({ id }: { id: number }) => id)
      assert.deepEqual(ids(what).sort(), listed.sort())
    }
    assert.deepEqual([ids('transactions').length, ids('payouts').length], [4 * PAYMENTS_A_DAY, 1])
    assert.equal(network.plant({ kind: 'balance_off' }), undefined)
  })

  it('exports the transactions of the pages under the names of the API’s fields', async () => {
    const { statements } = await runDays('fedapay', 1)
    const [heading = [], ...rows] = textOf(statements[0] as Statement)
    const [page] = (statements[0]?.pages ?? []) as Record<string, Wire[]>[]
    const shown = page?.['v1/transactions']?.map((each) =>
      heading.map((name) => String(each[name] ?? '')),
    )
    assert.deepEqual(rows, shown)
    assert.equal(rows.length, PAYMENTS_A_DAY)
  })
})

describe('the control address of statements', () => {
  it('downloads the file of the portal, plants faults and lists them, and refuses what it does not know', async () => {
    const opened = openConnection(NETWORKS.mtn)
    await runDay(opened, 'mtn', 0)
    const server = await startNetworkServer(opened.network, { clock: opened.clock })
    const control = (path: string, body?: object) =>
      fetch(`${server.url}/control/${path}`, body && { method: 'POST', body: JSON.stringify(body) })
    try {
      const [payment] = opened.network.books()
      const kind = 'wrong_fee'
      const planted = await (
        await control('statement-faults', { kind, reference: payment?.id })
      ).json()
      assert.equal((await control('statement-faults', {})).status, 200)
      assert.deepEqual(await (await control('statement-faults')).json(), opened.network.planted())
      assert.deepEqual(planted, opened.network.planted()[0])
      const period = Object.entries(dayOf(0)).map(
        ([name, at]) => `${name}=${new Date(at).toISOString()}`,
      )
      const file = await control(`statement?${period.join('&')}`)
      assert.equal(file.headers.get('content-type'), 'text/csv')
      assert.deepEqual(
        Buffer.from(await file.arrayBuffer()),
        Buffer.from(opened.network.statement(dayOf(0)).bytes),
      )
      const refused = [
        control('statement-faults', { kind: 'constructor' }),
        control('statement-faults', { kind: 'withheld', reference: 'no such payment' }),
        control('statement'),
        control('statement?from=2026-01-01&to=2026-03-01'),
      ]
      assert.deepEqual(
        await Promise.all(refused.map(async (answer) => (await answer).status)),
        [400, 404, 400, 400],
      )
    } finally {
      await server.close()
    }
  })
})
