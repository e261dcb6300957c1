// Two-step sign-in: a QR code for the app, the first code, then recovery codes that are shown once.
import { Button, Modal, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { TotpSetup } from '../../../server/src/dashboard-api/shapes.ts'
import { post } from '../api/client.ts'
import { Confirm } from '../parts/confirm.tsx'
import { CodeBlock, Copyable } from '../parts/copy.tsx'
import { Form, Send } from '../parts/form.tsx'
import { useMessages } from '../parts/messages.tsx'
import { Card } from '../parts/page.tsx'
import { PasswordField } from '../parts/password-field.tsx'
import { State } from '../parts/state.tsx'
import { sessionQuery, useSession } from '../session/session.ts'
import { useWords } from '../words/language.tsx'

interface RecoveryCodes {
  recoveryCodes: string[]
}

export function TwoSteps() {
  const { totp, team } = useWords().people
  const { person } = useSession()
  const { complain } = useMessages()
  const client = useQueryClient()
  const [setup, setSetup] = useState<TotpSetup>()
  const [codes, setCodes] = useState<string[]>()
  const [isLeaving, setLeaving] = useState(false)
  const readAgain = (): Promise<void> => client.invalidateQueries({ queryKey: sessionQuery.queryKey })
  const begin = async (): Promise<void> => {
    try {
      setSetup(await post<TotpSetup>('totp/setup'))
    } catch (error) {
      complain(error)
    }
  }
  return (
    <Card title={totp.title}>
      <p className="state-line">
        <State tone={person.totp ? 'good' : 'wait'}>{person.totp ? team.yes : team.no}</State>
      </p>
      <p className="soft lead">{person.totp ? totp.on : totp.off}</p>
      {!person.totp && setup === undefined && <Button onClick={() => void begin()}>{totp.setUp}</Button>}
      {person.totp && (
        <Button variant="default" onClick={() => setLeaving(true)}>
          {totp.remove}
        </Button>
      )}
      {!person.totp && setup !== undefined && (
        <SetUp
          setup={setup}
          done={(recoveryCodes) => {
            setSetup(undefined)
            setCodes(recoveryCodes)
          }}
        />
      )}
      <Modal
        opened={codes !== undefined}
        onClose={() => {}}
        withCloseButton={false}
        closeOnEscape={false}
        closeOnClickOutside={false}
        title={totp.codes}
      >
        <Stack>
          <p>{totp.codesLead}</p>
          <CodeBlock text={(codes ?? []).join('\n')} name={totp.codes} />
          <Button
            onClick={() => {
              setCodes(undefined)
              void readAgain()
            }}
          >
            {totp.kept}
          </Button>
        </Stack>
      </Modal>
      <RemoveTwoSteps isOpen={isLeaving} close={() => setLeaving(false)} done={readAgain} />
    </Card>
  )
}

function SetUp({ setup, done }: { setup: TotpSetup; done(codes: string[]): void }) {
  const { totp, code } = useWords().people
  return (
    <Form
      onSend={async (fields) => {
        const { recoveryCodes } = await post<RecoveryCodes>('totp/confirm', {
          code: (fields.code ?? '').replaceAll(' ', ''),
        })
        done(recoveryCodes)
      }}
    >
      <p>{totp.scan}</p>
      <img
        className="qr"
        src={`data:image/svg+xml,${encodeURIComponent(setup.qrSvg)}`}
        alt={totp.qr}
        width={220}
        height={220}
      />
      <p>
        {totp.orType} <Copyable text={setup.secret} name={totp.orType} />
      </p>
      <TextInput
        name="code"
        label={`${totp.thenCode} (${code})`}
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        size="md"
      />
      <Send>{totp.activate}</Send>
    </Form>
  )
}

function RemoveTwoSteps({ isOpen, close, done }: { isOpen: boolean; close(): void; done(): Promise<void> }) {
  const { totp, password } = useWords().people
  return (
    <Confirm
      isOpen={isOpen}
      close={close}
      title={totp.remove}
      lead={totp.removeSure}
      act={totp.remove}
      isDangerous
      onAct={async () => {
        const field = document.querySelector<HTMLInputElement>('input[name="totp-password"]')
        await post('totp/remove', { password: field?.value ?? '' })
        await done()
      }}
    >
      <PasswordField name="totp-password" label={password} kind="current-password" />
    </Confirm>
  )
}
