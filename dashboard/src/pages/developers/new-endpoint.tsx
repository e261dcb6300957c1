// A new address for webhooks; its signing secret is shown once.
import { Checkbox, Modal, TextInput } from '@mantine/core'
import type { EndpointInput, NewEndpointBody } from '../../../../server/src/dashboard-api/shapes.ts'
import { useChange } from '../../api/account.ts'
import { post } from '../../api/client.ts'
import { Form, Send } from '../../parts/form.tsx'
import { usePlace } from '../../session/place.ts'
import { useWords } from '../../words/language.tsx'

const EVENTS = ['payment.succeeded', 'payment.failed', 'payment.refunded']

export function NewEndpoint({
  isOpen,
  close,
  made,
}: {
  isOpen: boolean
  close(): void
  made(endpoint: NewEndpointBody): void
}) {
  const { developers, shell } = useWords()
  const { webhooks } = developers
  const { accountId } = usePlace()
  const base = `accounts/${accountId}`
  const make = useChange(base, (input: EndpointInput) => post<NewEndpointBody>(`${base}/endpoints`, input), [
    'endpoints',
    'home',
  ])
  return (
    <Modal opened={isOpen} onClose={close} title={webhooks.addTitle} closeButtonProps={{ 'aria-label': shell.close }}>
      <Form
        onSend={async ({ url = '', ...fields }) => {
          const events = EVENTS.filter((each) => fields[each] !== undefined)
          const endpoint = await make.mutateAsync({ url, events })
          close()
          made(endpoint)
        }}
      >
        <TextInput
          name="url"
          type="url"
          label={webhooks.url}
          description={webhooks.urlHelp}
          placeholder="https://"
          required
          data-autofocus
        />
        <fieldset className="choices">
          <legend>{webhooks.events}</legend>
          {EVENTS.map((each) => (
            <Checkbox
              key={each}
              name={each}
              label={<span className="mono">{each}</span>}
              // Many receivers take whatever they do not know for a success (D-61).
              defaultChecked={each !== 'payment.refunded'}
            />
          ))}
        </fieldset>
        <Send>{webhooks.create}</Send>
      </Form>
    </Modal>
  )
}
