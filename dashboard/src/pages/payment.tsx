// One payment: what it is, what happened in words, who was told, and what can be done: a receipt to share, a refund.
import { Anchor, Button } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import type { PaymentBody } from '../../../server/src/dashboard-api/shapes.ts'
import { useRead } from '../api/account.ts'
import * as format from '../format.ts'
import { Copyable } from '../parts/copy.tsx'
import { DeliveryRows } from '../parts/delivery-rows.tsx'
import { Detail, Details } from '../parts/details.tsx'
import { BackIcon, ShareIcon } from '../parts/icons.tsx'
import { useMessages } from '../parts/messages.tsx'
import { Card, PageTitle, Read } from '../parts/page.tsx'
import { shareOrCopy } from '../parts/share.ts'
import { PaymentState } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { usePlace } from '../session/place.ts'
import { may } from '../session/session.ts'
import { useWords } from '../words/language.tsx'
import { PaymentTimeline } from './payment-timeline.tsx'
import { RefundButton, RefundNote } from './refund.tsx'

export function Payment() {
  const { accountId } = usePlace()
  const { reference = '' } = useParams({ strict: false })
  const reading = useRead<PaymentBody>(`accounts/${accountId}`, `payments/${reference}`)
  return <Read reading={reading}>{(payment) => <Shown payment={payment} />}</Read>
}

function Shown({ payment }: { payment: PaymentBody }) {
  const { money } = useWords()
  const { one } = money
  const { accountId, role } = usePlace()
  const { amount, status, refund, failureReason, deliveries } = payment
  return (
    <>
      <PageTitle
        title={one.title(format.amount(amount))}
        before={
          <Anchor component={Link} to={`/a/${accountId}/payments`} className="back">
            <BackIcon size={18} /> {one.back}
          </Anchor>
        }
      >
        {payment.mayRefund && may(role, 'refund') && <RefundButton payment={payment} />}
      </PageTitle>
      <div className="grid">
        <Card className="two-thirds">
          <p className="state-line first">
            <PaymentState status={status} />
            {failureReason !== null && <span>{money.failures[failureReason] ?? failureReason}</span>}
            {status === 'pending' && <span className="soft">{one.waitingFor}</span>}
          </p>
          {refund !== null && <RefundNote refund={refund} />}
          <h2>{one.timeline}</h2>
          <PaymentTimeline timeline={payment.timeline} />
        </Card>
        <div className="third stack">
          <Card title={one.details}>
            <PaymentDetails payment={payment} />
          </Card>
          {payment.receiptUrl !== null && <Receipt url={payment.receiptUrl} />}
        </div>
        <Card title={one.webhooks} flush>
          {deliveries.length === 0 ? (
            <p className="soft inset">{one.noWebhooks}</p>
          ) : (
            <DeliveryRows deliveries={deliveries} label={one.webhooks} />
          )}
        </Card>
      </div>
    </>
  )
}

function PaymentDetails({ payment }: { payment: PaymentBody }) {
  const { one } = useWords().money
  const { accountId } = usePlace()
  const { metadata, linkReference } = payment
  const copied = (name: string, text: string | null) =>
    text !== null &&
    text !== '' && (
      <Detail name={name}>
        <Copyable text={text} name={name} />
      </Detail>
    )
  const plain = (name: string, text: string | null) =>
    text !== null && text !== '' && <Detail name={name}>{text}</Detail>
  return (
    <Details>
      {plain(one.name, payment.payerName)}
      {payment.msisdn !== null && <Detail name={one.number}>{format.phone(payment.msisdn)}</Detail>}
      {plain(one.operator, payment.operatorName)}
      {copied(one.publicReference, payment.publicReference)}
      {copied(one.transactionId, payment.transactionId)}
      {copied(one.order, payment.orderReference)}
      {copied(one.operatorReference, payment.operatorReference)}
      {copied(one.reference, payment.reference)}
      {linkReference !== null && (
        <Detail name={one.link}>
          <Anchor component={Link} to={`/a/${accountId}/links/${linkReference}`} className="mono">
            {linkReference}
          </Anchor>
        </Detail>
      )}
      <Detail name={one.created}>
        <When at={payment.createdAt} />
      </Detail>
      {payment.finalAt !== null && (
        <Detail name={one.ended}>
          <When at={payment.finalAt} />
        </Detail>
      )}
      {Object.entries(metadata ?? {}).map(([name, value]) => (
        <Detail key={name} name={name}>
          {value}
        </Detail>
      ))}
    </Details>
  )
}

function Receipt({ url }: { url: string }) {
  const { money, shell } = useWords()
  const { one } = money
  const { say } = useMessages()
  return (
    <Card title={one.receipt}>
      <p className="soft lead">{one.receiptLead}</p>
      <div className="buttons">
        <Button
          variant="light"
          leftSection={<ShareIcon size={18} />}
          onClick={() => void shareOrCopy({ title: one.receipt, url }, () => say(shell.copied))}
        >
          {one.shareReceipt}
        </Button>
        <Button component="a" href={url} target="_blank" rel="noreferrer" variant="default">
          {one.openReceipt}
        </Button>
      </div>
    </Card>
  )
}
