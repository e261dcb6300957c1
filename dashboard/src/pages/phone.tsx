// The sandbox phone: a drawn handset that shows the prompt of a pending payment, and the table of
// test numbers.
import { Button, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { PhoneAnswer, PhoneBody } from '../../../server/src/dashboard-api/contract.ts'
import { useRead } from '../api/account.ts'
import { ask } from '../api/client.ts'
import { may, usePlace } from '../api/session.ts'
import { formatAmount, formatPhone } from '../format.ts'
import { ActButton, bound } from '../parts/form.tsx'
import { PhoneIcon } from '../parts/icons.tsx'
import { useMessages } from '../parts/messages.tsx'
import { Card, MissingPart, PageTitle, Read } from '../parts/page.tsx'
import { Rows } from '../parts/rows.tsx'
import { CopyButton } from '../parts/values.tsx'
import { useWords } from '../words/language.tsx'

type Prompt = PhoneBody['prompts'][number]

export function Phone() {
  const { environment } = usePlace()
  return environment === 'sandbox' ? <SandboxPhone /> : <MissingPart />
}

function SandboxPhone() {
  const { account, common, phone, shell } = useWords()
  const { base } = usePlace()
  const reading = useRead(base, 'GET /phone')
  return (
    <>
      <PageTitle title={shell.phone} />
      <p className="soft lead">{phone.lead}</p>
      <Read reading={reading}>
        {({ prompts, testNumbers }) => (
          <div className="grid">
            <div className="third">
              <Handset prompts={prompts} />
              <TestPayment />
            </div>
            <Card className="two-thirds" flush title={phone.numbers}>
              <p className="soft inset">{phone.numbersLead}</p>
              <Rows
                label={phone.numbers}
                rows={testNumbers}
                keyOf={({ country, msisdn }) => country + msisdn}
                columns={[
                  {
                    heading: common.number,
                    isTight: true,
                    cell: ({ msisdn }) => (
                      <span className="copied-number">
                        <b>{formatPhone(msisdn)}</b> <CopyButton text={msisdn} name={msisdn} />
                      </span>
                    ),
                  },
                  {
                    heading: common.country,
                    from: 'sm',
                    isTight: true,
                    cell: ({ country }) => account.business.countries[country],
                  },
                  {
                    heading: phone.outcome,
                    cell: ({ outcome }) =>
                      phone.outcomes[outcome.replace(', second number', '')] ?? outcome,
                  },
                ]}
              />
            </Card>
          </div>
        )}
      </Read>
    </>
  )
}

/** A payment that waits for an answer on this phone. */
function TestPayment() {
  const { phone } = useWords()
  const { base, change, role } = usePlace()
  if (!may(role, 'useSandboxPhone')) return null
  return (
    <ActButton
      variant="light"
      fullWidth
      mt="md"
      action={() => change(ask(base, 'POST /phone'), 'phone', 'payments', 'home')}
      done={phone.created}
    >
      {phone.create}
    </ActButton>
  )
}

function Handset({ prompts }: { prompts: readonly Prompt[] }) {
  const { phone } = useWords()
  const [first, ...rest] = prompts
  return (
    <section className="handset" aria-label={phone.screen} aria-live="polite">
      <div className="screen">
        {first === undefined ? (
          <div className="idle">
            <PhoneIcon size={40} />
            <b>{phone.idle}</b>
            <p>{phone.idleHelp}</p>
          </div>
        ) : (
          <PromptOnScreen key={first.reference} prompt={first} />
        )}
        {rest.length > 0 && <p className="queue">{phone.queue(rest.length)}</p>}
      </div>
    </section>
  )
}

function PromptOnScreen({ prompt }: { prompt: Prompt }) {
  const { phone } = useWords()
  const { base, change, role } = usePlace()
  const { act } = useMessages()
  const [pin, setPin] = useState('')
  const [isBusy, setBusy] = useState(false)
  const send = (answer: PhoneAnswer) =>
    change(
      ask(base, 'POST /phone/:reference', { reference: prompt.reference, answer }),
      'phone',
      'payments',
      'home',
    )
  const answer = async (what: PhoneAnswer): Promise<void> => {
    setBusy(true)
    await act(() => send(what), phone.done[what])
    setBusy(false)
  }
  const others = [
    ['decline', phone.decline],
    ['no_credit', phone.noCredit],
    ['ignore', phone.ignore],
  ] as const
  const isAllowed = may(role, 'useSandboxPhone') && !isBusy
  return (
    <form
      className="prompt"
      onSubmit={(event) => {
        event.preventDefault()
        if (pin.length === 4) void answer('approve')
      }}
    >
      <span className="network">{prompt.operatorName}</span>
      <span className="to">{formatPhone(prompt.msisdn)}</span>
      <p>{phone.prompt(prompt.merchantName)}</p>
      <p className="big">{formatAmount(prompt.amount)}</p>
      <TextInput
        label={phone.pin}
        description={phone.pinHelp}
        type="password"
        inputMode="numeric"
        autoComplete="off"
        maxLength={4}
        {...bound(pin, (typed) => setPin(typed.replace(/\D/g, '')))}
      />
      <Button
        type="submit"
        color="teal.9"
        size="md"
        fullWidth
        disabled={!isAllowed || pin.length < 4}
        loading={isBusy}
      >
        {phone.approve}
      </Button>
      <div className="answers">
        {others.map(([what, name]) => (
          <Button
            key={what}
            variant="default"
            disabled={!isAllowed}
            onClick={() => void answer(what)}
          >
            {name}
          </Button>
        ))}
      </div>
    </form>
  )
}
