// One payment: its details, its history, its webhooks, a receipt to share, a refund.
import { Anchor, Button, TextInput } from '@mantine/core'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import {
  PAYMENT_DETAILS,
  type PaymentBody,
  type RefundBody,
} from '../../../server/src/dashboard-api/contract.ts'
import { useRead, useShow } from '../api/account.ts'
import { ask } from '../api/client.ts'
import { may, usePlace } from '../api/session.ts'
import {
  dotted,
  formatAmount,
  formatCount,
  formatDay,
  formatPhone,
  formatTimeWithSeconds,
} from '../format.ts'
import { DeliveryRows } from '../parts/delivery-rows.tsx'
import { bound, ConfirmButton } from '../parts/form.tsx'
import { DownloadIcon, ShareIcon } from '../parts/icons.tsx'
import { useMessages } from '../parts/messages.tsx'
import { Card, PageTitle, Read } from '../parts/page.tsx'
import {
  Detail,
  Details,
  PaymentState,
  shareOrCopy,
  TextDetail,
  useOperatorName,
  When,
} from '../parts/values.tsx'
import { useLanguage, useWords } from '../words/language.tsx'

export function Payment() {
  const { base } = usePlace()
  const { reference = '' } = useParams({ strict: false })
  const reading = useRead(base, 'GET /payments/:reference', { reference })
  return <Read reading={reading}>{(payment) => <Shown payment={payment} />}</Read>
}

function Shown({ payment }: { payment: PaymentBody }) {
  const { developers, failures, one } = useWords()
  const { accountId, role } = usePlace()
  const { amount, status, failureReason, deliveries } = payment
  return (
    <>
      <PageTitle
        title={one.title(formatAmount(amount))}
        back={{ to: `/a/${accountId}/payments`, name: one.back }}
      >
        {payment.mayRefund && <RefundButton payment={payment} />}
      </PageTitle>
      <div className="grid">
        <Card className="two-thirds">
          <p className="state-line first">
            <PaymentState status={status} refundedAmount={payment.refundedAmount} />
            {failureReason !== null && <span>{failures[failureReason] ?? failureReason}</span>}
            {status === 'pending' && <span className="soft">{one.waitingFor}</span>}
          </p>
          <Refunds payment={payment} />
          <h2>{one.timeline}</h2>
          <PaymentTimeline timeline={payment.timeline} />
        </Card>
        <div className="third stack">
          <Card title={one.details}>
            <PaymentDetails payment={payment} />
          </Card>
          {payment.receiptUrl !== null && <Receipt url={payment.receiptUrl} />}
        </div>
        {may(role, 'seeDevelopers') && (
          <Card title={developers.webhooks} flush>
            {deliveries.length === 0 ? (
              <p className="soft inset">{one.noWebhooks}</p>
            ) : (
              <DeliveryRows deliveries={deliveries} label={developers.webhooks} />
            )}
          </Card>
        )}
      </div>
    </>
  )
}

function PaymentDetails({ payment }: { payment: PaymentBody }) {
  const { words, language } = useLanguage()
  const { books, common, links, one } = words
  const operatorName = useOperatorName()
  const { accountId } = usePlace()
  const { metadata, linkReference } = payment
  return (
    <Details>
      <PaymentFee payment={payment} />
      <TextDetail name={common.name} text={payment.payerName} />
      <TextDetail name={common.number} text={payment.msisdn && formatPhone(payment.msisdn)} />
      <TextDetail
        name={common.operator}
        text={payment.operator && operatorName(payment.operator)}
      />
      <TextDetail name={books.connection} text={payment.connectionLabel} />
      {PAYMENT_DETAILS.map(({ name, words: names }) => (
        <TextDetail key={name} name={names[language]} text={payment[name]} copies />
      ))}
      {linkReference !== null && (
        <Detail name={links.link}>
          <Anchor component={Link} to={`/a/${accountId}/links/${linkReference}`}>
            {payment.linkTitle ?? linkReference}
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

/** Nothing where no tariff and no statement says the fee. */
function PaymentFee({ payment: { fee, status, refundedAmount } }: { payment: PaymentBody }) {
  const { one } = useWords()
  if (fee === null) return null
  const { basis, amount, tax, net } = fee
  return (
    <>
      <Detail name={one.fee[basis]}>
        <span>
          {formatAmount(amount)}
          <span className="sub">{one.feeHelp[basis]}</span>
        </span>
      </Detail>
      {tax !== 0 && <Detail name={one.tax}>{formatAmount(tax)}</Detail>}
      <Detail name={one.net[basis]}>
        <span>
          {formatAmount(net)}
          {(status === 'refunded' || refundedAmount > 0) && (
            <span className="sub">{one.netHelp}</span>
          )}
        </span>
      </Detail>
    </>
  )
}

function Receipt({ url }: { url: string }) {
  const { words, language } = useLanguage()
  const { shell, one, receipts } = words
  const { say } = useMessages()
  return (
    <Card title={one.receipt}>
      <p className="soft lead">
        {one.receiptLead} {receipts.lead}
      </p>
      <p className="mono">{url.split('/').pop()}</p>
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
        <Button
          component="a"
          href={`${url}.pdf?lang=${language}`}
          target="_blank"
          rel="noreferrer"
          variant="default"
          leftSection={<DownloadIcon size={18} />}
        >
          {receipts.pdf}
        </Button>
      </div>
    </Card>
  )
}

/**
 * The history of a payment in words. The server sends facts; a kind without words is shown by its
 * name.
 */
type Entry = { at: number; kind: string; facts: Readonly<Record<string, unknown>> }

/** A refund does not wait for the customer, and pays no merchant. */
const REFUND_ANSWERS: Readonly<Record<string, string>> = {
  accepted: 'refunding',
  succeeded: 'refunded',
}

export function PaymentTimeline({ timeline }: { timeline: readonly Entry[] }) {
  const { one, failures } = useWords()
  const operatorName = useOperatorName()
  const sentence = ({ kind, facts }: Entry): string => {
    const to = String(facts.to ?? facts.status ?? '')
    return (
      (kind === 'moved' ? one.moved[to] : one.kinds[kind]) ??
      [kind.replaceAll('_', ' '), to].join(' ').trim()
    )
  }
  const more = ({ kind, facts }: Entry): string => {
    const { is, ms, operator, error } = facts
    const reason = facts.reason ?? facts.failureReason
    const why = typeof reason === 'string' ? (failures[reason] ?? reason) : ''
    const network = typeof operator === 'string' ? operatorName(operator) : ''
    const said = typeof is === 'string' && kind !== 'moved' ? is : ''
    const answered = (kind === 'refund' && REFUND_ANSWERS[said]) || said
    const answer = one.answers[answered] ?? answered.replaceAll('_', ' ')
    const asked =
      kind === 'refund_asked' && typeof facts.amount === 'number' ? formatAmount(facts.amount) : ''
    const took = typeof ms === 'number' ? `${formatCount(ms)}\u00a0ms` : ''
    return dotted(asked, answer, why, network, String(error ?? ''), took)
  }
  let dayBefore = ''
  return (
    <ol className="timeline">
      {timeline.map((entry, at) => {
        const day = formatDay(entry.at)
        const shownDay = day === dayBefore ? '' : `${day}, `
        dayBefore = day
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: entries are added at the end and never change
          <li key={at} className={entry.kind === 'moved' ? 'strong' : ''}>
            {sentence(entry)}
            <span className="sub">
              <time dateTime={new Date(entry.at).toISOString()}>
                {shownDay}
                {formatTimeWithSeconds(entry.at)}
              </time>
              {more(entry) !== '' && ` ·\u00a0${more(entry)}`}
            </span>
          </li>
        )
      })}
    </ol>
  )
}

/** A repeated request of one dialog refunds once, also when its answer was lost. */
const newRefundId = (): string =>
  `dashboard-${Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`

/** The person chooses the amount: by default what is left. */
function RefundButton({ payment }: { payment: PaymentBody }) {
  const { one, list } = useWords()
  const { base, change } = usePlace()
  const show = useShow(base)
  const { say } = useMessages()
  const { reference, remainingAmount, refundsInPart, payerName, msisdn } = payment
  const [typed, setTyped] = useState<string>()
  const [refundId, setRefundId] = useState(newRefundId)
  const written = typed ?? String(remainingAmount)
  const digits = written.replace(/\s/g, '')
  // Digits only: `5.000` would be read as five francs.
  const amount = /^\d{1,9}$/.test(digits) ? Number(digits) : 0
  const isAmount = amount >= 1 && amount <= remainingAmount
  const refund = async () => {
    const { payment: after, status } = await change(
      ask(base, 'POST /payments/:reference/refund', { reference, amount, refundId }),
      'refunds',
      'home',
    )
    show('GET /payments/:reference', { reference }, after)
    const isWaiting = status === 'waiting_for_approval'
    say((isWaiting && one.refundState[status]) || one.refundDone)
    setTyped(undefined)
    setRefundId(newRefundId())
  }
  return (
    <ConfirmButton
      label={one.refund}
      title={one.refundTitle(formatAmount(isAmount ? amount : remainingAmount))}
      lead={one.refundLead(
        payerName ?? (msisdn === null ? list.unknownPayer : formatPhone(msisdn)),
      )}
      act={one.refund}
      isDangerous
      isReady={isAmount}
      onAct={refund}
    >
      <TextInput
        label={one.refundAmount}
        description={
          refundsInPart ? one.refundUpTo(formatAmount(remainingAmount)) : one.refundWholeOnly
        }
        inputMode="numeric"
        autoComplete="off"
        readOnly={!refundsInPart}
        error={!isAmount && one.refundNotAmount(formatAmount(remainingAmount))}
        data-autofocus
        {...bound(written, setTyped)}
      />
    </ConfirmButton>
  )
}

function Refunds({
  payment: { refunds, amount, refundedAmount, remainingAmount },
}: {
  payment: PaymentBody
}) {
  const { one } = useWords()
  if (refunds.length === 0) return null
  return (
    <>
      {remainingAmount > 0 && (
        <p className="lead">
          {refundedAmount > 0 &&
            `${one.refundedSoFar(formatAmount(refundedAmount), formatAmount(amount))} `}
          {one.refundLeft(formatAmount(remainingAmount))}
        </p>
      )}
      {refunds.map((refund) => (
        <RefundNote key={refund.reference} refund={refund} />
      ))}
    </>
  )
}

function RefundNote({
  refund: { status, amount, approval, failureReason, createdAt },
}: {
  refund: RefundBody
}) {
  const { one, failures } = useWords()
  const isRejected = failureReason === 'approval_rejected'
  return (
    <p className={`note ${status === 'succeeded' || status === 'by_hand' ? 'calm' : ''}`}>
      <span className="parts">
        <span>
          <b>{one.refundState[isRejected ? 'rejected' : status] ?? status}</b>
        </span>
        <span>{formatAmount(amount)}</span>
      </span>
      <span className="sub">
        <When at={createdAt} />
        {failureReason !== null &&
          !isRejected &&
          ` ·\u00a0${failures[failureReason] ?? failureReason}`}
        {approval !== null && ` ·\u00a0${one.approval[approval.state](approval.askedBy)}`}
      </span>
    </p>
  )
}
