// Any payment by any of its names, with its whole story.

import { Button, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { ConsolePaymentBody, WaitingRow } from '../../../../server/src/dashboard-api/shapes.ts'
import { usePages } from '../../api/account.ts'
import { ApiError, get } from '../../api/client.ts'
import * as format from '../../format.ts'
import { ClockIcon, SearchIcon } from '../../parts/icons.tsx'
import { Card, Empty, Failed, PageTitle, Waiting } from '../../parts/page.tsx'
import { PagedRows } from '../../parts/rows.tsx'
import { Copyable, Detail, Details, PaymentState, When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'
import { PaymentTimeline } from '../payment.tsx'

export function AnyPayment() {
  const { payment } = useWords().console
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
          <TextInput
            className="grow"
            type="search"
            size="md"
            radius="xl"
            leftSection={<SearchIcon size={18} />}
            placeholder={payment.search}
            aria-label={payment.search}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
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
  const { console, money, shell } = useWords()
  const { one } = money
  const rows: [string, string | null][] = [
    [console.payment.merchant, merchantName],
    [console.payment.environment, shell[environment]],
    [one.operator, payment.operatorName],
    [one.number, payment.msisdn === null ? null : format.phone(payment.msisdn)],
    [one.name, payment.payerName],
  ]
  const references: [string, string | null][] = [
    [one.reference, payment.reference],
    [one.publicReference, payment.publicReference],
    [one.transactionId, payment.transactionId],
    [console.payment.account, accountId],
  ]
  return (
    <div className="grid">
      <Card className="half">
        <p className="big">{format.amount(payment.amount)}</p>
        <p className="state-line">
          <PaymentState status={payment.status} />
        </p>
        <Details>
          {rows.map(
            ([name, value]) =>
              value && (
                <Detail key={name} name={name}>
                  {value}
                </Detail>
              ),
          )}
          {references.map(
            ([name, value]) =>
              value && (
                <Detail key={name} name={name}>
                  <Copyable text={value} name={name} />
                </Detail>
              ),
          )}
          <Detail name={one.created}>
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

// Payments that wait too long: why, and when the operator is asked next.
export function WaitingPayments() {
  const { console, shell } = useWords()
  const { waiting } = console
  const pages = usePages<WaitingRow>('console', 'waiting')
  return (
    <>
      <PageTitle title={waiting.title} />
      <Card flush>
        <PagedRows
          label={waiting.title}
          pages={pages}
          keyOf={({ reference }) => reference}
          columns={[
            {
              heading: waiting.payment,
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
            { heading: waiting.since, from: 'sm', isTight: true, cell: ({ createdAt }) => <When at={createdAt} /> },
            {
              heading: waiting.next,
              from: 'md',
              isTight: true,
              cell: ({ nextQuestionAt }) => (nextQuestionAt === null ? '–' : <When at={nextQuestionAt} />),
            },
          ]}
          empty={<Empty icon={<ClockIcon size={40} />} title={waiting.empty} />}
        />
      </Card>
    </>
  )
}
