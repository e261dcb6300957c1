// The staff's search for merchants and payments, any payment with its history, and the payments
// that wait too long.
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type {
  ConsolePaymentBody,
  ConsoleSearchBody,
} from '../../../../server/src/dashboard-api/contract.ts'
import { usePages, useRead } from '../../api/account.ts'
import { read } from '../../api/client.ts'
import { dotted, formatAmount, formatPhone } from '../../format.ts'
import { bound, SearchField } from '../../parts/form.tsx'
import { ClockIcon, SearchIcon } from '../../parts/icons.tsx'
import { Card, Empty, PageTitle, Read } from '../../parts/page.tsx'
import { PagedRows, Rows, TwoLines } from '../../parts/rows.tsx'
import {
  Detail,
  Details,
  PaymentState,
  TextDetail,
  useOperatorName,
  When,
} from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'
import { PaymentTimeline } from '../payment.tsx'
import { References } from '../payments.tsx'

const TYPING_MS = 250

/** One search: merchants by name, payments by any reference, or by the payer's number or name. */
export function FindAnything() {
  const { payment } = useWords()
  const navigate = useNavigate()
  // In the address, so that a person who comes back from a payment finds the search again.
  const { search: asked = '' } = useSearch({ from: '/console/payments' })
  const [text, setText] = useState(asked)
  const [search] = useDebouncedValue(text.trim(), TYPING_MS)
  useEffect(() => {
    void navigate({ to: '.', search: search === '' ? {} : { search }, replace: true })
  }, [search, navigate])
  const reading = useQuery({
    queryKey: ['console', 'search', search],
    queryFn: ({ signal }) => read('console', 'GET /search', { search }, signal),
    enabled: search !== '',
    placeholderData: keepPreviousData,
  })
  return (
    <>
      <PageTitle title={payment.title} />
      <div className="filters">
        <SearchField
          placeholder={payment.search}
          aria-label={payment.search}
          {...bound(text, setText)}
        />
      </div>
      {search === '' ? (
        <Card>
          <Empty icon={<SearchIcon size={40} />} title={payment.start} help={payment.help} />
        </Card>
      ) : (
        <Read reading={reading}>{(found) => <Findings found={found} search={search} />}</Read>
      )}
    </>
  )
}

function Findings({
  found: { merchants, payments, isMore },
  search,
}: {
  found: ConsoleSearchBody
  search: string
}) {
  const { common, list, shell, payment: words } = useWords()
  const operatorName = useOperatorName()
  if (merchants.length + payments.length === 0)
    return (
      <Card>
        <Empty icon={<SearchIcon size={40} />} title={words.missing} help={words.help} />
      </Card>
    )
  const opener = (to: string, name: string) => (
    <Link to={to} search={{ search }} className="opener">
      {name}
    </Link>
  )
  return (
    <div className="stack">
      {merchants.length > 0 && (
        <Card flush title={shell.console.merchants}>
          <Rows
            label={shell.console.merchants}
            opens
            keyOf={({ merchantId }) => merchantId}
            rows={merchants}
            columns={[
              {
                heading: common.merchant,
                cell: ({ merchantId, name, createdAt }) => (
                  <TwoLines sub={<When at={createdAt} />}>
                    {opener(`/console/merchants/${merchantId}`, name)}
                  </TwoLines>
                ),
              },
            ]}
          />
        </Card>
      )}
      {payments.length > 0 && (
        <Card flush title={shell.console.payments}>
          <Rows
            label={shell.console.payments}
            opens
            keyOf={({ reference }) => reference}
            rows={payments}
            columns={[
              {
                heading: common.payment,
                cell: ({ reference, amount, merchantName, environment, createdAt }) => (
                  <>
                    {opener(`/console/payments/${reference}`, formatAmount(amount))}
                    <span className="sub">
                      {dotted(merchantName, shell[environment])} ·&nbsp;
                      <When at={createdAt} />
                    </span>
                  </>
                ),
              },
              {
                heading: list.reference,
                from: 'md',
                isTight: true,
                cell: (row) => <References {...row} />,
              },
              {
                heading: common.number,
                isBelow: true,
                cell: ({ msisdn, payerName, operator }) => (
                  <TwoLines sub={dotted(payerName, operator && operatorName(operator))}>
                    {msisdn && formatPhone(msisdn)}
                  </TwoLines>
                ),
              },
              {
                heading: common.state,
                at: 'end',
                cell: ({ status, refundedAmount }) => (
                  <PaymentState status={status} refundedAmount={refundedAmount} />
                ),
              },
            ]}
          />
        </Card>
      )}
      {isMore && <p className="soft">{words.more}</p>}
    </div>
  )
}

export const useAnyPayment = (reference: string) =>
  useRead('console', 'GET /payments/:name', { name: reference })

export function AnyPayment() {
  const { common, payment } = useWords()
  const search = useSearch({ from: '/console/payments/$reference' })
  const { reference = '' } = useParams({ strict: false }) as { reference?: string }
  return (
    <>
      <PageTitle
        title={common.payment}
        back={{ to: '/console/payments', name: payment.title, search }}
      />
      <Read reading={useAnyPayment(reference)}>{(body) => <Found body={body} />}</Read>
    </>
  )
}

function Found({ body }: { body: ConsolePaymentBody }) {
  const { one } = useWords()
  return (
    <div className="grid">
      <PaymentFacts body={body} className="half" />
      <Card className="half" title={one.timeline}>
        <PaymentTimeline timeline={body.timeline} />
      </Card>
    </div>
  )
}

/** What a refund is about: an approver sees the same before approving. */
export function PaymentFacts({
  body,
  className = '',
}: {
  body: ConsolePaymentBody
  className?: string
}) {
  const { books, common, merchants, shell, one } = useWords()
  const { payment, merchantName, environment, accountId } = body
  const operatorName = useOperatorName()
  return (
    <Card className={className}>
      <p className="big">{formatAmount(payment.amount)}</p>
      <p className="state-line">
        <PaymentState status={payment.status} refundedAmount={payment.refundedAmount} />
      </p>
      <Details>
        <TextDetail name={common.merchant} text={merchantName} />
        <TextDetail name={shell.environment} text={shell[environment]} />
        <TextDetail
          name={common.operator}
          text={payment.operator && operatorName(payment.operator)}
        />
        <TextDetail name={books.connection} text={payment.connectionLabel} />
        <TextDetail name={common.number} text={payment.msisdn && formatPhone(payment.msisdn)} />
        <TextDetail name={common.name} text={payment.payerName} />
        <TextDetail name={one.reference} text={payment.reference} copies />
        <TextDetail name={one.publicReference} text={payment.publicReference} copies />
        <TextDetail name={one.merchantReference} text={payment.transactionId} copies />
        <TextDetail name={one.operatorReference} text={payment.operatorReference} copies />
        <TextDetail name={merchants.accountId} text={accountId} copies />
        <Detail name={common.created}>
          <When at={payment.createdAt} />
        </Detail>
      </Details>
    </Card>
  )
}

export function WaitingPayments() {
  const { common, shell, waiting } = useWords()
  const pages = usePages('console', 'GET /waiting')
  return (
    <>
      <PageTitle title={waiting.title} />
      <PagedRows
        label={waiting.title}
        pages={pages}
        keyOf={({ reference }) => reference}
        columns={[
          {
            heading: common.payment,
            cell: ({ reference, merchantName, amount, operatorName, environment }) => (
              <>
                <b>{formatAmount(amount)}</b> ·&nbsp;{operatorName}
                <span className="sub">{dotted(merchantName, shell[environment])}</span>
                <span className="sub mono">{reference}</span>
              </>
            ),
          },
          { heading: waiting.why, isBelow: true, cell: ({ why }) => waiting.reasons[why] ?? why },
          {
            heading: common.since,
            from: 'sm',
            isTight: true,
            cell: ({ createdAt }) => <When at={createdAt} />,
          },
          {
            heading: waiting.next,
            from: 'md',
            isTight: true,
            cell: ({ nextQuestionAt }) =>
              nextQuestionAt === null ? '–' : <When at={nextQuestionAt} />,
          },
        ]}
        empty={<Empty icon={<ClockIcon size={40} />} title={waiting.empty} />}
      />
    </>
  )
}
