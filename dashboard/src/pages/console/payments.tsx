// The staff's payments: any payment by any of its references with its history, and the payments that wait too long.
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConsolePaymentBody, WaitingRow } from '../../../../server/src/dashboard-api/shapes.ts'
import { usePages } from '../../api/account.ts'
import { ApiError, get } from '../../api/client.ts'
import * as format from '../../format.ts'
import { bound, SearchField } from '../../parts/form.tsx'
import { ClockIcon, SearchIcon } from '../../parts/icons.tsx'
import { Card, Empty, Failed, PageTitle, Waiting } from '../../parts/page.tsx'
import { PagedRows } from '../../parts/rows.tsx'
import { Detail, Details, PaymentState, TextDetail, When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'
import { PaymentTimeline } from '../payment.tsx'

export function AnyPayment() {
  const { payment } = useWords()
  const [text, setText] = useState('')
  const [name, setName] = useState('')
  const reading = useQuery({
    queryKey: ['console', 'payments', name],
    queryFn: ({ signal }) => get<ConsolePaymentBody>(`console/payments/${encodeURIComponent(name)}`, signal),
    enabled: name !== '',
    retry: false,
  })
  const isMissing = reading.error instanceof ApiError && reading.error.status === 404
  return (
    <>
      <PageTitle title={payment.title} />
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault()
          setName(text.trim())
        }}
      >
        <div className="filter-row">
          <SearchField placeholder={payment.search} aria-label={payment.search} {...bound(text, setText)} />
          <Button type="submit" size="md" radius="xl">
            {payment.find}
          </Button>
        </div>
      </form>
      {name === '' && (
        <Card>
          <Empty icon={<SearchIcon size={40} />} title={payment.start} help={payment.help} />
        </Card>
      )}
      {name !== '' && reading.isPending && <Waiting />}
      {isMissing && (
        <Card>
          <Empty icon={<SearchIcon size={40} />} title={payment.missing} />
        </Card>
      )}
      {reading.error && !isMissing && <Failed error={reading.error} retry={() => void reading.refetch()} />}
      {reading.data && <Found body={reading.data} />}
    </>
  )
}

function Found({ body: { payment, merchantName, environment, accountId, timeline } }: { body: ConsolePaymentBody }) {
  const { common, shell, one } = useWords()
  return (
    <div className="grid">
      <Card className="half">
        <p className="big">{format.amount(payment.amount)}</p>
        <p className="state-line">
          <PaymentState status={payment.status} />
        </p>
        <Details>
          <TextDetail name={common.merchant} text={merchantName} />
          <TextDetail name={shell.environment} text={shell[environment]} />
          <TextDetail name={common.operator} text={payment.operatorName} />
          <TextDetail name={common.number} text={payment.msisdn && format.phone(payment.msisdn)} />
          <TextDetail name={common.name} text={payment.payerName} />
          <TextDetail name={one.reference} text={payment.reference} copies />
          <TextDetail name={one.publicReference} text={payment.publicReference} copies />
          <TextDetail name={one.transactionId} text={payment.transactionId} copies />
          <TextDetail name={shell.account} text={accountId} copies />
          <Detail name={common.created}>
            <When at={payment.createdAt} />
          </Detail>
        </Details>
      </Card>
      <Card className="half" title={one.timeline}>
        <PaymentTimeline timeline={timeline} />
      </Card>
    </div>
  )
}

export function WaitingPayments() {
  const { common, shell, waiting } = useWords()
  const pages = usePages<WaitingRow>('console', 'waiting')
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
                <b>{format.amount(amount)}</b> · {operatorName}
                <span className="sub">
                  {merchantName} · {shell[environment]}
                </span>
                <span className="sub mono">{reference}</span>
              </>
            ),
          },
          { heading: waiting.why, isBelow: true, cell: ({ why }) => waiting.reasons[why] ?? why },
          { heading: common.since, from: 'sm', isTight: true, cell: ({ createdAt }) => <When at={createdAt} /> },
          {
            heading: waiting.next,
            from: 'md',
            isTight: true,
            cell: ({ nextQuestionAt }) => (nextQuestionAt === null ? '–' : <When at={nextQuestionAt} />),
          },
        ]}
        empty={<Empty icon={<ClockIcon size={40} />} title={waiting.empty} />}
      />
    </>
  )
}
