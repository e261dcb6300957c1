// One payment: its details, its history, its webhooks, a receipt to share, a refund.
import { Anchor, Button, TextInput } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { PaymentBody, RefundBody } from '../../../server/src/dashboard-api/shapes.ts'
import { operatorName } from '../../../server/src/domain/country.ts'
import { useRead } from '../api/account.ts'
import { post } from '../api/client.ts'
import { may, usePlace } from '../api/session.ts'
import * as format from '../format.ts'
import { DeliveryRows } from '../parts/delivery-rows.tsx'
import { bound, ConfirmButton } from '../parts/form.tsx'
import { ShareIcon } from '../parts/icons.tsx'
import { useMessages } from '../parts/messages.tsx'
import { Card, PageTitle, Read } from '../parts/page.tsx'
import { Detail, Details, PaymentState, shareOrCopy, TextDetail, When } from '../parts/values.tsx'
import { useSpoken, useWords } from '../words/language.tsx'

export function Payment() {
  const { base } = usePlace()
  const { reference = '' } = useParams({ strict: false })
  const reading = useRead<PaymentBody>(base, `payments/${reference}`)
  return <Read reading={reading}>{(payment) => <Shown payment={payment} />}</Read>
}

function Shown({ payment }: { payment: PaymentBody }) {
  const { developers, failures, one } = useWords()
  const { accountId, role } = usePlace()
  const { amount, status, refund, failureReason, deliveries } = payment
  return (
    <>
      <PageTitle title={one.title(format.amount(amount))} back={{ to: `/a/${accountId}/payments`, name: one.back }}>
        {payment.mayRefund && may(role, 'refund') && <RefundButton payment={payment} />}
      </PageTitle>
      <div className="grid">
        <Card className="two-thirds">
          <p className="state-line first">
            <PaymentState status={status} />
            {failureReason !== null && <span>{failures[failureReason] ?? failureReason}</span>}
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
        <Card title={developers.webhooks} flush>
          {deliveries.length === 0 ? (
            <p className="soft inset">{one.noWebhooks}</p>
          ) : (
            <DeliveryRows deliveries={deliveries} label={developers.webhooks} />
          )}
        </Card>
      </div>
    </>
  )
}

function PaymentDetails({ payment }: { payment: PaymentBody }) {
  const { common, links, one } = useWords()
  const { accountId } = usePlace()
  const { metadata, linkReference } = payment
  return (
    <Details>
      <TextDetail name={common.name} text={payment.payerName} />
      <TextDetail name={common.number} text={payment.msisdn && format.phone(payment.msisdn)} />
      <TextDetail name={common.operator} text={payment.operatorName} />
      <TextDetail name={one.publicReference} text={payment.publicReference} copies />
      <TextDetail name={one.transactionId} text={payment.transactionId} copies />
      <TextDetail name={one.order} text={payment.orderReference} copies />
      <TextDetail name={one.operatorReference} text={payment.operatorReference} copies />
      <TextDetail name={one.reference} text={payment.reference} copies />
      {linkReference !== null && (
        <Detail name={links.link}>
          <Anchor component={Link} to={`/a/${accountId}/links/${linkReference}`} className="mono">
            {linkReference}
          </Anchor>
        </Detail>
      )}
      <Detail name={common.created}>
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
  const { shell, one } = useWords()
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

/** The history of a payment in words. The server sends facts; a kind without words is shown by its name. */
type Entry = { at: number; kind: string; facts: Readonly<Record<string, unknown>> }

export function PaymentTimeline({ timeline }: { timeline: readonly Entry[] }) {
  const { words, language } = useSpoken()
  const { one, failures } = words
  const sentence = ({ kind, facts }: Entry): string => {
    const to = String(facts.to ?? facts.status ?? '')
    return (kind === 'moved' ? one.moved[to] : one.kinds[kind]) ?? [kind.replaceAll('_', ' '), to].join(' ').trim()
  }
  const more = ({ kind, facts }: Entry): string => {
    const { is, ms, operator, error } = facts
    const reason = facts.reason ?? facts.failureReason
    const why = typeof reason === 'string' ? (failures[reason] ?? reason) : ''
    const network = typeof operator === 'string' ? operatorName(operator) : ''
    const answer = kind !== 'moved' && typeof is === 'string' ? (one.answers[is] ?? is.replaceAll('_', ' ')) : ''
    const took = typeof ms === 'number' ? `${format.count(ms)}\u00a0ms` : ''
    return [answer, why, network, error, took].filter(Boolean).join(' · ')
  }
  let dayBefore = ''
  return (
    <ol className="timeline">
      {timeline.map((entry, at) => {
        const day = format.day(entry.at, language)
        const shownDay = day === dayBefore ? '' : `${day}, `
        dayBefore = day
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are added at the end and never change
          <li key={at} className={entry.kind === 'moved' ? 'strong' : ''}>
            {sentence(entry)}
            <span className="sub">
              <time dateTime={new Date(entry.at).toISOString()}>
                {shownDay}
                {format.timeWithSeconds(entry.at)}
              </time>
              {more(entry) !== '' && ` · ${more(entry)}`}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

/** The person types the amount before a refund, so that no slip of the finger refunds a payment. */
function RefundButton({ payment }: { payment: PaymentBody }) {
  const { one, list } = useWords()
  const { base, change } = usePlace()
  const [typed, setTyped] = useState('')
  const { reference, amount, payerName, msisdn } = payment
  return (
    <ConfirmButton
      title={one.refundTitle(format.amount(amount))}
      lead={one.refundLead(payerName ?? (msisdn === null ? list.unknownPayer : format.phone(msisdn)))}
      act={one.refund}
      isDangerous
      isReady={typed.replace(/\D/g, '') === String(amount)}
      onAct={() => change(post(`${base}/payments/${reference}/refund`), 'payments', 'home')}
      done={one.refundDone}
    >
      <TextInput
        label={one.refundType(format.count(amount))}
        inputMode="numeric"
        autoComplete="off"
        data-autofocus
        {...bound(typed, setTyped)}
      />
    </ConfirmButton>
  )
}

function RefundNote({ refund: { status, amount, approval } }: { refund: RefundBody }) {
  const { one } = useWords()
  return (
    <p className={`note ${status === 'succeeded' || status === 'by_hand' ? 'calm' : ''}`}>
      <b>{one.refundState[approval?.state === 'waiting' ? 'waiting' : status] ?? status}</b>{' '}
      <span className="together">· {format.amount(amount)}</span>
      {approval !== null && <span className="sub">{one.approval[approval.state](approval.askedBy)}</span>}
    </p>
  )
}
