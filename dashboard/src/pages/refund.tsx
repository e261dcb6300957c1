// A refund, asked for with the amount typed: nobody gives money back by a slip of the finger.
import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { PaymentBody, RefundBody } from '../../../server/src/dashboard-api/shapes.ts'
import { useChange } from '../api/account.ts'
import { post } from '../api/client.ts'
import * as format from '../format.ts'
import { Confirm } from '../parts/confirm.tsx'
import { useMessages } from '../parts/messages.tsx'
import { usePlace } from '../session/place.ts'
import { useWords } from '../words/language.tsx'

export function RefundButton({ payment }: { payment: PaymentBody }) {
  const { one, list } = useWords().money
  const { accountId } = usePlace()
  const { say } = useMessages()
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const base = `accounts/${accountId}`
  const { mutateAsync } = useChange(base, () => post<RefundBody>(`${base}/payments/${payment.reference}/refund`), [
    'payments',
    'home',
  ])
  const { amount, payerName, msisdn } = payment
  const payer = payerName ?? (msisdn === null ? list.unknownPayer : format.phone(msisdn))
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {one.refund}
      </Button>
      <Confirm
        isOpen={isOpen}
        close={() => setOpen(false)}
        title={one.refundTitle(format.amount(amount))}
        lead={one.refundLead(payer)}
        act={one.refund}
        isDangerous
        isReady={typed.replace(/\D/g, '') === String(amount)}
        onAct={async () => {
          await mutateAsync()
          say(one.refundDone)
        }}
      >
        <TextInput
          label={one.refundType(format.count(amount))}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </Confirm>
    </>
  )
}

export function RefundNote({ refund: { status, amount, approval } }: { refund: RefundBody }) {
  const { one } = useWords().money
  return (
    <p className={`note ${status === 'succeeded' || status === 'by_hand' ? 'calm' : ''}`}>
      <b>{one.refundState[approval?.state === 'waiting' ? 'waiting' : status] ?? status}</b>{' '}
      <span className="together">· {format.amount(amount)}</span>
      {approval !== null && <span className="sub">{one.approval[approval.state](approval.askedBy)}</span>}
    </p>
  )
}
