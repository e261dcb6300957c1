// Settlements: money that left the wallets for the bank; one settlement with the statement lines
// that it is made of, and the confirmation that the bank has it.
import { Anchor, Button, TextInput } from '@mantine/core'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type {
  SettlementBody,
  SettlementLineRow,
  SettlementRow,
} from '../../../../server/src/dashboard-api/contract.ts'
import { useChange, usePages } from '../../api/account.ts'
import { ask } from '../../api/client.ts'
import { may, usePlace } from '../../api/session.ts'
import {
  dayName,
  formatAmount,
  formatDay,
  formatDayAndTime,
  formatSignedAmount,
  noonOf,
} from '../../format.ts'
import { bound, FormDialog, RowButton, Send } from '../../parts/form.tsx'
import { BackIcon, BankIcon } from '../../parts/icons.tsx'
import { Card, Empty, Read } from '../../parts/page.tsx'
import { type Column, PagedRows } from '../../parts/rows.tsx'
import {
  Detail,
  Details,
  State,
  TextDetail,
  type Tone,
  useConnectionName,
  When,
} from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'
import { MovementName } from './where.tsx'

export function Settlements() {
  const { settlement } = useSearch({ strict: false })
  return settlement === undefined ? <SettlementList /> : <Settlement name={settlement} />
}

function SettlementList() {
  const { settlement } = useWords().books
  const { base, role } = usePlace()
  const pages = usePages(base, 'GET /settlements')
  const [confirming, setConfirming] = useState<SettlementRow>()
  return (
    <>
      <p className="soft lead">{settlement.lead}</p>
      <PagedRows
        label={settlement.title}
        pages={pages}
        columns={useColumns(may(role, 'keepBooks') ? setConfirming : undefined)}
        keyOf={({ settlement: name }) => name}
        opens
        empty={
          <Empty
            icon={<BankIcon size={40} />}
            title={settlement.empty}
            help={settlement.emptyHelp}
          />
        }
      />
      {confirming !== undefined && (
        <ConfirmDialog row={confirming} close={() => setConfirming(undefined)} />
      )}
    </>
  )
}

/** What the page says of it: a credit of another amount is not simply received. */
type ShownState = SettlementRow['state'] | 'differs'

const TONES: Readonly<Record<ShownState, Tone>> = {
  in_transit: 'wait',
  received: 'good',
  differs: 'bad',
  returned: 'calm',
}

function SettlementState({ row: { state, amount, received } }: { row: SettlementRow }) {
  const { settlement } = useWords().books
  const shown: ShownState = received !== null && received !== amount ? 'differs' : state
  return <State tone={TONES[shown]}>{settlement.states[shown]}</State>
}

/** Money that came back was not expected at the bank. */
const expectedOf = ({ amount }: SettlementRow): string => (amount > 0 ? formatAmount(amount) : '–')
const receivedOf = ({ received }: SettlementRow): string =>
  received === null ? '–' : formatAmount(received)

function useColumns(confirm: ((row: SettlementRow) => void) | undefined): Column<SettlementRow>[] {
  const { common, shell, books } = useWords()
  const { settlement: words } = books
  const { accountId } = usePlace()
  const nameOf = useConnectionName()
  return [
    {
      heading: books.connection,
      cell: (row) => (
        <>
          <Link
            className="opener"
            to="/a/$accountId/money/{-$part}"
            params={{ accountId, part: 'settlements' }}
            search={{ settlement: row.settlement }}
          >
            {nameOf(row)}
          </Link>
          {row.operatorReference !== null && (
            <span className="sub mono breaks">{row.operatorReference}</span>
          )}
          <span className="sub until-sm">
            <When at={row.leftAt} isShort />
          </span>
        </>
      ),
    },
    { heading: words.left, from: 'sm', isTight: true, cell: ({ leftAt }) => <When at={leftAt} /> },
    {
      heading: common.state,
      from: 'sm',
      isTight: true,
      cell: (row) => <SettlementState row={row} />,
    },
    {
      heading: words.expected,
      at: 'end',
      isTight: true,
      cell: (row) => (
        <>
          <b>{row.amount > 0 ? expectedOf(row) : formatSignedAmount(row.amount)}</b>
          <span className="sub until-sm">
            <SettlementState row={row} />
          </span>
        </>
      ),
    },
    { heading: words.received, from: 'sm', at: 'end', isTight: true, cell: receivedOf },
    ...(confirm === undefined
      ? []
      : [
          {
            heading: <span className="hidden">{words.confirm}</span>,
            from: 'md' as const,
            at: 'end' as const,
            cell: (row: SettlementRow) =>
              row.state === 'in_transit' && (
                <span className="above">
                  <RowButton
                    name={shell.confirm}
                    label={`${words.confirm}, ${nameOf(row)}, ${expectedOf(row)}`}
                    onClick={() => confirm(row)}
                  />
                </span>
              ),
          },
        ]),
  ]
}

function Settlement({ name }: { name: string }) {
  const { books } = useWords()
  const { accountId, base } = usePlace()
  const pages = usePages(base, 'GET /settlements/:settlement', { settlement: name })
  // Each page of the lines has the settlement itself.
  const body = pages.data?.pages[0]
  const columns = useLineColumns()
  return (
    <>
      <Anchor component={Link} to={`/a/${accountId}/money/settlements`} className="back">
        <BackIcon size={18} /> {books.tabs.settlements}
      </Anchor>
      <Read reading={{ data: body, error: pages.error, refetch: pages.refetch }} lines={10}>
        {(settlement) => (
          <div className="grid">
            <About body={settlement} />
            <MadeOf body={settlement} />
            <div>
              <h2 className="part-title">{books.settlement.lines}</h2>
              <PagedRows
                label={books.settlement.lines}
                pages={pages}
                columns={columns}
                keyOf={({ line }) => line}
                opens
                empty={<Empty icon={<BankIcon size={40} />} title={books.settlement.noLines} />}
              />
            </div>
          </div>
        )}
      </Read>
    </>
  )
}

function About({ body }: { body: SettlementBody }) {
  const { books } = useWords()
  const { settlement } = books
  const { role } = usePlace()
  const nameOf = useConnectionName()
  const [isOpen, setOpen] = useState(false)
  const { state, amount, received, receivedDay } = body
  return (
    <Card className="half" title={settlement.one}>
      <p className="state-line first">
        <b className="big">{amount > 0 ? formatAmount(amount) : formatSignedAmount(amount)}</b>
        <SettlementState row={body} />
      </p>
      <Details>
        <Detail name={books.connection}>{nameOf(body)}</Detail>
        <Detail name={settlement.left}>{formatDayAndTime(body.leftAt)}</Detail>
        <TextDetail name={settlement.operatorReference} text={body.operatorReference} copies />
        {amount > 0 && <Detail name={settlement.expected}>{formatAmount(amount)}</Detail>}
        {received !== null && <Detail name={settlement.received}>{formatAmount(received)}</Detail>}
        {received !== null && received !== amount && (
          <Detail name={settlement.difference}>{formatSignedAmount(received - amount)}</Detail>
        )}
        {receivedDay !== null && (
          <Detail name={settlement.receivedDay}>{formatDay(noonOf(receivedDay))}</Detail>
        )}
        <TextDetail name={settlement.bankReference} text={body.bankReference} copies />
      </Details>
      {state === 'returned' && <p className="note calm">{settlement.returnedHelp}</p>}
      {state === 'in_transit' &&
        (may(role, 'keepBooks') ? (
          <div className="buttons apart">
            <Button onClick={() => setOpen(true)}>{settlement.confirm}</Button>
          </div>
        ) : (
          <p className="note calm">{settlement.confirmWho}</p>
        ))}
      {isOpen && <ConfirmDialog row={body} close={() => setOpen(false)} />}
    </Card>
  )
}

function ConfirmDialog({ row, close }: { row: SettlementRow; close(): void }) {
  const { settlement: name, amount, leftAt } = row
  const { settlement } = useWords().books
  const { base } = usePlace()
  const change = useChange(base)
  const today = dayName(Date.now())
  const [typed, setTyped] = useState(String(amount))
  const received = Number(typed)
  return (
    <FormDialog
      isOpen
      close={close}
      title={settlement.confirmTitle}
      done={settlement.confirmed}
      onSend={({ day, reference }) =>
        change(
          ask(base, 'POST /settlements/:settlement/confirm', {
            settlement: name,
            amount: received,
            day,
            ...(reference !== '' && { reference }),
          }),
          'settlements',
          'money',
          'books',
        )
      }
    >
      <p>{settlement.confirmLead}</p>
      <TextInput
        label={settlement.received}
        inputMode="numeric"
        required
        maxLength={13}
        rightSection={<span className="soft unit">F</span>}
        {...bound(typed, (value) => setTyped(value.replace(/\D/g, '')))}
      />
      {typed !== '' && received !== amount && (
        <p className="note" role="status">
          {settlement.willDiffer(formatAmount(amount), formatSignedAmount(received - amount))}
        </p>
      )}
      <TextInput
        name="day"
        label={settlement.receivedDay}
        type="date"
        required
        min={dayName(leftAt)}
        max={today}
        defaultValue={today}
      />
      <TextInput
        name="reference"
        label={settlement.bankReference}
        description={settlement.bankReferenceHelp}
        maxLength={60}
      />
      <Send>{settlement.confirm}</Send>
    </FormDialog>
  )
}

const PARTS = ['collected', 'refunded', 'fees', 'taxes', 'other'] as const

/** What came into the wallet and left it since the settlement before. */
function MadeOf({ body }: { body: SettlementBody }) {
  const { settlement, statement } = useWords().books
  const total = PARTS.reduce((sum, part) => sum + body[part], 0)
  return (
    <Card className="half" title={settlement.madeOf}>
      <Details>
        {PARTS.filter((part) => part !== 'other' || body.other !== 0).map((part) => (
          <Detail key={part} name={part === 'other' ? settlement.other : statement[part]}>
            {formatSignedAmount(body[part])}
          </Detail>
        ))}
        <Detail name={settlement.total}>
          <b>{formatSignedAmount(total)}</b>
        </Detail>
      </Details>
      <p className="sub">{settlement.madeOfHelp}</p>
    </Card>
  )
}

function useLineColumns(): Column<SettlementLineRow>[] {
  const { books, common } = useWords()
  const { settlement, differences } = books
  return [
    {
      heading: books.movement,
      cell: ({ type, reference, publicReference, transactionId, bookedAt }) => (
        <>
          <MovementName name={differences.types[type] ?? type} reference={reference} />
          {publicReference !== null && <span className="sub mono">{publicReference}</span>}
          {transactionId !== null && (
            <span className="sub cut from-sm" title={transactionId}>
              {transactionId}
            </span>
          )}
          <span className="sub until-sm">
            <When at={bookedAt} isShort />
          </span>
        </>
      ),
    },
    {
      heading: common.date,
      from: 'sm',
      isTight: true,
      cell: ({ bookedAt }) => <When at={bookedAt} />,
    },
    {
      heading: settlement.operatorReference,
      from: 'md',
      cell: ({ operatorReference }) => <span className="mono breaks">{operatorReference}</span>,
    },
    {
      heading: books.statement.fees,
      from: 'sm',
      at: 'end',
      isTight: true,
      cell: ({ fee, tax }) => (fee + tax === 0 ? '' : formatSignedAmount(-fee - tax)),
    },
    {
      heading: common.amount,
      at: 'end',
      isTight: true,
      cell: ({ amount, fee, tax }) => (
        <>
          <b>{formatSignedAmount(amount)}</b>
          {fee + tax > 0 && (
            <span className="sub until-sm">{differences.fee(formatAmount(fee + tax))}</span>
          )}
        </>
      ),
    },
  ]
}
