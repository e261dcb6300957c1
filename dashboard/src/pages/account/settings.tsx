// The account's settings: the business with its validation and documents, the brand, the sites.
import { Button, FileButton, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { SettingsBody } from '../../../../server/src/dashboard-api/contract.ts'
import { useRead } from '../../api/account.ts'
import type { AccountBase } from '../../api/address.ts'
import { ApiError, ask, fileAt, sendFile } from '../../api/client.ts'
import { may, usePlace } from '../../api/session.ts'
import { formatAmount, formatBytes } from '../../format.ts'
import {
  ActButton,
  bound,
  choicesOf,
  type Fields,
  Form,
  RowButton,
  Send,
} from '../../parts/form.tsx'
import { PlusIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { MoneyChanges, ProofField, proofOf, useLiveMoney } from '../../parts/money-changes.tsx'
import { Card, Read } from '../../parts/page.tsx'
import { State, type Tone, When } from '../../parts/values.tsx'
import { useWords } from '../../words/language.tsx'

/** The account's place, and whether this person may change its settings. */
function useOwn() {
  const { base, change, role } = usePlace()
  return { base, change, isOwn: may(role, 'changeSettings') }
}

const useSettings = () => useRead(usePlace().base, 'GET /settings')

interface SettingsFormProps {
  send(base: AccountBase, fields: Fields): Promise<SettingsBody>
  children: ReactNode
}

function SettingsForm({ send, children }: SettingsFormProps) {
  const { shell } = useWords()
  const { base, isOwn, change } = useOwn()
  return (
    <Form done={shell.saved} onSend={(fields) => change(send(base, fields), 'settings', 'home')}>
      {children}
      {isOwn && <Send>{shell.save}</Send>}
    </Form>
  )
}

type Validation = SettingsBody['validation']

export const VALIDATION_TONES: Readonly<Record<Validation['state'], Tone>> = {
  not_asked: 'calm',
  asked: 'wait',
  validated: 'good',
  refused: 'bad',
  suspended: 'bad',
}

export function Business() {
  return (
    <Read reading={useSettings()}>
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
  const { base, isOwn, change } = useOwn()
  return (
    <Card title={validation.title}>
      <p className="state-line">
        <State tone={VALIDATION_TONES[state]}>{validation.states[state]}</State>
        <span>{validation.help[state]}</span>
      </p>
      {reason !== null && (
        <p className={state === 'validated' ? 'note calm' : 'note'}>{validation.reason(reason)}</p>
      )}
      {isOwn && (state === 'not_asked' || state === 'refused') && (
        <ActButton
          action={() => change(ask(base, 'POST /validation'), 'settings', 'home')}
          done={validation.asked}
        >
          {validation.ask}
        </ActButton>
      )}
    </Card>
  )
}

const FIELDS = ['legalName', 'registration', 'city', 'address', 'contact'] as const

function BusinessForm({ business }: { business: SettingsBody['business'] }) {
  const { account, common } = useWords()
  const texts = account.business
  const { isOwn } = useOwn()
  return (
    <Card className="half" title={texts.title}>
      <p className="soft lead">{texts.lead}</p>
      <SettingsForm send={(base, fields) => ask(base, 'PUT /settings/business', fields)}>
        <NativeSelect
          name="country"
          label={common.country}
          defaultValue={business.country}
          disabled={!isOwn}
          data={choicesOf(texts.countries)}
        />
        {FIELDS.map((name) => (
          <TextInput
            key={name}
            name={name}
            label={texts[name]}
            defaultValue={business[name]}
            maxLength={200}
            disabled={!isOwn}
            description={name === 'contact' && texts.contactHelp}
          />
        ))}
      </SettingsForm>
    </Card>
  )
}

// Checked here too, before a large upload. The server checks again.
const TYPES = ['application/pdf', 'image/jpeg', 'image/png']
const MOST_BYTES = 5 * 1024 * 1024
const MOST_DOCUMENTS = 10

function Documents({ documents }: { documents: SettingsBody['documents'] }) {
  const words = useWords()
  const texts = words.account.documents
  const { base, isOwn, change } = useOwn()
  const { act } = useMessages()

  async function send(file: File): Promise<unknown> {
    if (file.size > MOST_BYTES || !TYPES.includes(file.type))
      throw new ApiError(422, { code: 'document_not_valid' })
    return sendFile(base, 'POST /documents', file, { name: file.name })
  }

  return (
    <Card className="half" title={words.activity.groups.document}>
      <p className="soft lead">{texts.lead}</p>
      {documents.length === 0 && <p className="soft">{texts.none}</p>}
      <ul className="plain-list">
        {documents.map(({ documentId, name, bytes, uploadedAt }) => (
          <li key={documentId}>
            <span>
              <a href={fileAt(base, 'GET /documents/:documentId', { documentId })}>{name}</a>
              <span className="sub">
                {formatBytes(bytes)} ·&nbsp;
                <When at={uploadedAt} />
              </span>
            </span>
            {isOwn && (
              <RowButton
                name={words.common.remove}
                label={`${words.common.remove} ${name}`}
                onClick={() =>
                  void act(() =>
                    change(ask(base, 'DELETE /documents/:documentId', { documentId }), 'settings'),
                  )
                }
              />
            )}
          </li>
        ))}
      </ul>
      {isOwn && documents.length < MOST_DOCUMENTS && (
        <Upload
          types={TYPES}
          send={send}
          done={texts.added}
          icon={<PlusIcon size={18} />}
          name={texts.add}
        />
      )}
    </Card>
  )
}

interface UploadProps {
  types: readonly string[]
  send(file: File): Promise<unknown>
  done?: string
  icon?: ReactNode
  name: string
}

function Upload({ types, send, done, icon, name }: UploadProps) {
  const { change } = useOwn()
  const { act } = useMessages()
  const [isBusy, setBusy] = useState(false)
  const upload = async (file: File): Promise<void> => {
    setBusy(true)
    await act(() => change(send(file), 'settings'), done)
    setBusy(false)
  }
  return (
    <FileButton accept={types.join(',')} onChange={(file) => file !== null && void upload(file)}>
      {(props) => (
        <Button {...props} variant={icon ? 'light' : 'default'} leftSection={icon} loading={isBusy}>
          {name}
        </Button>
      )}
    </FileButton>
  )
}

const OWN_COLOUR = '#2b3583'
const EXAMPLE_FRANCS = 15_000

export const Brand = () => (
  <Read reading={useSettings()}>
    {({ brand, piAlias }) => <BrandForm kept={brand} piAlias={piAlias} />}
  </Read>
)

function BrandForm({ kept, piAlias }: { kept: SettingsBody['brand']; piAlias: string | null }) {
  const texts = useWords().account.brand
  const { base, isOwn } = useOwn()
  const [brand, setBrand] = useState({
    name: kept.name,
    colour: kept.colour ?? OWN_COLOUR,
    phone: kept.phone ?? '',
  })
  const field = (name: keyof typeof brand) => ({
    label: texts[name],
    disabled: !isOwn,
    ...bound(brand[name], (value) => setBrand({ ...brand, [name]: value })),
  })
  return (
    <div className="grid">
      <Card className="half" title={texts.title}>
        <p className="soft lead">{texts.lead}</p>
        <SettingsForm
          send={(at) => ask(at, 'PUT /settings/brand', { ...brand, phone: brand.phone || null })}
        >
          <TextInput required maxLength={60} {...field('name')} />
          <TextInput type="color" className="colour-field" {...field('colour')} />
          <TextInput description={texts.phoneHelp} type="tel" maxLength={20} {...field('phone')} />
          {isOwn && (
            <div>
              <span className="field-name">{texts.logo}</span>
              <span className="sub">{texts.logoHelp}</span>
              <Upload
                types={['image/png', 'image/jpeg']}
                send={(file) => sendFile(base, 'PUT /settings/logo', file)}
                name={texts.chooseLogo}
              />
            </div>
          )}
        </SettingsForm>
      </Card>
      <Card className="half" title={texts.preview}>
        <Preview {...brand} logoUrl={kept.logoUrl} />
      </Card>
      <PiSpi alias={piAlias} />
      <MoneyChanges className="half" />
    </div>
  )
}

function PiSpi({ alias }: { alias: string | null }) {
  const { receipts, moneyChanges, shell } = useWords()
  const texts = receipts.pi
  const { base, isOwn, change } = useOwn()
  const { changeMoney } = useLiveMoney()
  const { say } = useMessages()
  const [typed, setTyped] = useState(alias ?? '')
  const isNew = typed.trim() !== '' && typed.trim() !== alias
  const send = async (fields: Fields): Promise<void> => {
    const sent = { alias: typed.trim(), ...proofOf(fields) }
    const changed = ask(base, 'PUT /settings/pi-spi', sent)
    const { is } = await changeMoney(change(changed, 'settings'))
    say(is === 'waiting' ? moneyChanges.sent : shell.saved)
    if (is === 'waiting') setTyped(alias ?? '')
  }
  return (
    <Card className="half" title={texts.title}>
      <p className="soft lead">{texts.lead}</p>
      <Form onSend={send}>
        <TextInput
          name="alias"
          label={texts.alias}
          description={texts.help}
          {...bound(typed, setTyped)}
          maxLength={60}
          autoComplete="off"
          disabled={!isOwn}
        />
        {isOwn && isNew && <ProofField />}
        {isOwn && <Send>{shell.save}</Send>}
      </Form>
    </Card>
  )
}

function Preview({
  name,
  colour,
  phone,
  logoUrl,
}: Record<keyof SettingsBody['brand'], string | null>) {
  const texts = useWords().account.brand
  const style = { background: colour ?? '' }
  return (
    <div className="brand-preview" style={{ borderColor: colour ?? '' }}>
      <div className="head" style={style}>
        {logoUrl !== null && <img src={logoUrl} alt="" height={28} />}
        <b>{name}</b>
      </div>
      <div className="body">
        <span className="soft">{texts.previewFor}</span>
        <span className="big">{formatAmount(EXAMPLE_FRANCS)}</span>
        <span className="pay" style={style}>
          {texts.pay(formatAmount(EXAMPLE_FRANCS))}
        </span>
        {phone && <span className="soft">{texts.question(phone)}</span>}
      </div>
    </div>
  )
}

export function Sites() {
  const texts = useWords().account.sites
  const { isOwn } = useOwn()
  const reading = useSettings()
  return (
    <Card title={texts.title}>
      <p className="soft lead">{texts.lead}</p>
      <Read reading={reading}>
        {(settings) => (
          <SettingsForm
            send={(base, { sites = '' }) =>
              ask(base, 'PUT /settings/sites', { sites: sites.split(/\s+/).filter(Boolean) })
            }
          >
            <Textarea
              name="sites"
              label={texts.field}
              description={texts.help}
              rows={5}
              defaultValue={settings.sites.join('\n')}
              disabled={!isOwn}
            />
          </SettingsForm>
        )}
      </Read>
    </Card>
  )
}
