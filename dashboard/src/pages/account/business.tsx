// The business, its documents, and where its validation stands.
import { Button, NativeSelect, TextInput } from '@mantine/core'
import type { SettingsBody } from '../../../../server/src/dashboard-api/shapes.ts'
import { useChange } from '../../api/account.ts'
import { post } from '../../api/client.ts'
import { Form, Send } from '../../parts/form.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Read } from '../../parts/page.tsx'
import { State, type Tone } from '../../parts/state.tsx'
import { usePlace } from '../../session/place.ts'
import { may } from '../../session/session.ts'
import { useWords } from '../../words/language.tsx'
import { Documents } from './documents.tsx'
import { useSaveSettings, useSettings } from './settings.ts'

type BusinessBody = SettingsBody['business']
type Validation = SettingsBody['validation']

const TONES: Readonly<Record<Validation['state'], Tone>> = {
  not_asked: 'calm',
  asked: 'wait',
  validated: 'good',
  refused: 'bad',
  suspended: 'bad',
}

export function Business() {
  const reading = useSettings()
  return (
    <Read reading={reading}>
      {({ business, documents, validation }) => (
        <div className="grid">
          <ValidationState validation={validation} />
          <BusinessForm business={business} />
          <Documents documents={documents} />
        </div>
      )}
    </Read>
  )
}

function ValidationState({ validation: { state, reason } }: { validation: Validation }) {
  const { validation } = useWords().account
  const { accountId, role } = usePlace()
  const { say, complain } = useMessages()
  const base = `accounts/${accountId}`
  const ask = useChange(base, () => post(`${base}/validation`), ['settings', 'home'])
  const mayAsk = may(role, 'changeSettings') && (state === 'not_asked' || state === 'refused')
  return (
    <Card title={validation.title}>
      <p className="state-line">
        <State tone={TONES[state]}>{validation.states[state]}</State>
        <span>{validation.help[state]}</span>
      </p>
      {reason !== null && <p className="note">{validation.reason(reason)}</p>}
      {mayAsk && (
        <Button
          loading={ask.isPending}
          onClick={() => ask.mutate(undefined, { onSuccess: () => say(validation.asked), onError: complain })}
        >
          {validation.ask}
        </Button>
      )}
    </Card>
  )
}

const FIELDS = ['legalName', 'registration', 'city', 'address', 'contact'] as const

function BusinessForm({ business }: { business: BusinessBody }) {
  const { account, shell } = useWords()
  const texts = account.business
  const { role } = usePlace()
  const { say } = useMessages()
  const save = useSaveSettings<BusinessBody>('business')
  const isOwn = may(role, 'changeSettings')
  return (
    <Card className="half" title={texts.title}>
      <p className="soft lead">{texts.lead}</p>
      <Form
        onSend={async ({ legalName = '', registration = '', country = '', city = '', address = '', contact = '' }) => {
          await save.mutateAsync({ legalName, registration, country, city, address, contact })
          say(shell.saved)
        }}
      >
        <NativeSelect
          name="country"
          label={texts.country}
          defaultValue={business.country}
          disabled={!isOwn}
          data={Object.entries(texts.countries).map(([value, label]) => ({ value, label }))}
        />
        {FIELDS.map((name) => (
          <TextInput
            key={name}
            name={name}
            label={texts[name]}
            defaultValue={business[name]}
            maxLength={200}
            disabled={!isOwn}
            {...(name === 'contact' && { description: texts.contactHelp })}
          />
        ))}
        {isOwn && <Send>{shell.save}</Send>}
      </Form>
    </Card>
  )
}
