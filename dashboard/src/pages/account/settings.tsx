// The account's settings: the business with its validation and documents, the brand, the sites.

import { Button, FileButton, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SettingsBody } from '../../../../server/src/dashboard-api/shapes.ts'
import { useChange, useRead } from '../../api/account.ts'
import { ApiError, addressOf, post, put, query, remove, sendFile } from '../../api/client.ts'
import { may, usePlace } from '../../api/session.ts'
import * as format from '../../format.ts'
import { Form, Send } from '../../parts/form.tsx'
import { PlusIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Read } from '../../parts/page.tsx'
import { State, type Tone, When } from '../../parts/values.tsx'
import { useSpoken, useWords } from '../../words/language.tsx'

function useSettings() {
  const { base } = usePlace()
  return useRead<SettingsBody>(base, 'settings')
}

function useSaveSettings<Input extends object>(part: 'brand' | 'business' | 'sites') {
  const { base } = usePlace()
  return useChange(base, (input: Input) => put(`${base}/settings/${part}`, input), ['settings', 'home'])
}

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
  const { base, role } = usePlace()
  const { say, complain } = useMessages()
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
  const { account, common, shell } = useWords()
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
          label={common.country}
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

// Checked here too, before a large upload. The server checks again.
const TYPES = ['application/pdf', 'image/jpeg', 'image/png']
const MOST_BYTES = 5 * 1024 * 1024
const MOST_DOCUMENTS = 10

function Documents({ documents }: { documents: SettingsBody['documents'] }) {
  const { words, language } = useSpoken()
  const texts = words.account.documents
  const { base, role } = usePlace()
  const { say, complain } = useMessages()
  const isOwn = may(role, 'changeSettings')
  const add = useChange(base, send, ['settings'])
  const drop = useChange(base, (documentId: string) => remove(`${base}/documents/${documentId}`), ['settings'])

  async function send(file: File): Promise<unknown> {
    if (file.size > MOST_BYTES || !TYPES.includes(file.type)) throw new ApiError(422, { code: 'document_not_valid' })
    return sendFile('POST', `${base}/documents${query({ name: file.name })}`, file)
  }

  return (
    <Card className="half" title={words.activity.groups.document}>
      <p className="soft lead">{texts.lead}</p>
      {documents.length === 0 && <p className="soft">{texts.none}</p>}
      <ul className="plain-list">
        {documents.map(({ documentId, name, bytes, uploadedAt }) => (
          <li key={documentId}>
            <span>
              <a href={addressOf(`${base}/documents/${documentId}`)}>{name}</a>
              <span className="sub">
                {format.bytes(bytes, language)} · <When at={uploadedAt} />
              </span>
            </span>
            {isOwn && (
              <Button
                variant="default"
                aria-label={`${words.common.remove} ${name}`}
                onClick={() => drop.mutate(documentId, { onError: complain })}
              >
                {words.common.remove}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isOwn && documents.length < MOST_DOCUMENTS && (
        <FileButton
          accept={TYPES.join(',')}
          onChange={(file) =>
            file !== null && add.mutate(file, { onSuccess: () => say(texts.added), onError: complain })
          }
        >
          {(props) => (
            <Button {...props} variant="light" leftSection={<PlusIcon size={18} />} loading={add.isPending}>
              {texts.add}
            </Button>
          )}
        </FileButton>
      )}
    </Card>
  )
}

type BrandBody = SettingsBody['brand']

const OWN_COLOUR = '#2b3583'
const EXAMPLE_FRANCS = 15_000

export function Brand() {
  const reading = useSettings()
  return <Read reading={reading}>{({ brand }) => <BrandForm kept={brand} />}</Read>
}

function BrandForm({ kept }: { kept: BrandBody }) {
  const { account, shell } = useWords()
  const texts = account.brand
  const { role } = usePlace()
  const { say } = useMessages()
  const save = useSaveSettings<Omit<BrandBody, 'logoUrl'>>('brand')
  const [brand, setBrand] = useState({ name: kept.name, colour: kept.colour ?? OWN_COLOUR, phone: kept.phone ?? '' })
  const isOwn = may(role, 'changeSettings')
  return (
    <div className="grid">
      <Card className="half" title={texts.title}>
        <p className="soft lead">{texts.lead}</p>
        <Form
          onSend={async () => {
            await save.mutateAsync({
              name: brand.name,
              colour: brand.colour,
              phone: brand.phone === '' ? null : brand.phone,
            })
            say(shell.saved)
          }}
        >
          <TextInput
            label={texts.name}
            value={brand.name}
            required
            maxLength={60}
            disabled={!isOwn}
            onChange={({ currentTarget }) => setBrand({ ...brand, name: currentTarget.value })}
          />
          <TextInput
            label={texts.colour}
            type="color"
            className="colour-field"
            value={brand.colour}
            disabled={!isOwn}
            onChange={({ currentTarget }) => setBrand({ ...brand, colour: currentTarget.value })}
          />
          <TextInput
            label={texts.phone}
            description={texts.phoneHelp}
            type="tel"
            value={brand.phone}
            maxLength={20}
            disabled={!isOwn}
            onChange={({ currentTarget }) => setBrand({ ...brand, phone: currentTarget.value })}
          />
          {isOwn && <Logo />}
          {isOwn && <Send>{shell.save}</Send>}
        </Form>
      </Card>
      <Card className="half" title={texts.preview}>
        <Preview brand={{ ...brand, logoUrl: kept.logoUrl }} />
      </Card>
    </div>
  )
}

function Logo() {
  const texts = useWords().account.brand
  const { base } = usePlace()
  const { complain } = useMessages()
  const send = useChange(base, (file: File) => sendFile('PUT', `${base}/settings/logo`, file), ['settings'])
  return (
    <div>
      <span className="field-name">{texts.logo}</span>
      <span className="sub">{texts.logoHelp}</span>
      <FileButton
        accept="image/png,image/jpeg"
        onChange={(file) => file !== null && send.mutate(file, { onError: complain })}
      >
        {(props) => (
          <Button {...props} variant="default" loading={send.isPending}>
            {texts.chooseLogo}
          </Button>
        )}
      </FileButton>
    </div>
  )
}

/** The head of a payer's page, small. */
function Preview({
  brand: { name, colour, phone, logoUrl },
}: {
  brand: { name: string; colour: string; phone: string; logoUrl: string | null }
}) {
  const texts = useWords().account.brand
  return (
    <div className="brand-preview" style={{ borderColor: colour }}>
      <div className="head" style={{ background: colour }}>
        {logoUrl !== null && <img src={logoUrl} alt="" height={28} />}
        <b>{name}</b>
      </div>
      <div className="body">
        <span className="soft">{texts.previewFor}</span>
        <span className="big">{format.amount(EXAMPLE_FRANCS)}</span>
        <span className="pay" style={{ background: colour }}>
          {texts.pay(format.amount(EXAMPLE_FRANCS))}
        </span>
        {phone !== '' && <span className="soft">{texts.question(phone)}</span>}
      </div>
    </div>
  )
}

/** The sites that may show the account's payment button. */
export function Sites() {
  const { account, shell } = useWords()
  const { sites: texts } = account
  const { role } = usePlace()
  const { say } = useMessages()
  const reading = useSettings()
  const save = useSaveSettings<{ sites: string[] }>('sites')
  const isOwn = may(role, 'changeSettings')
  return (
    <Card title={texts.title}>
      <p className="soft lead">{texts.lead}</p>
      <Read reading={reading}>
        {({ sites }) => (
          <Form
            onSend={async (fields) => {
              await save.mutateAsync({ sites: (fields.sites ?? '').split(/\s+/).filter(Boolean) })
              say(shell.saved)
            }}
          >
            <Textarea
              name="sites"
              label={texts.field}
              description={texts.help}
              rows={5}
              defaultValue={sites.join('\n')}
              disabled={!isOwn}
            />
            {isOwn && <Send>{shell.save}</Send>}
          </Form>
        )}
      </Read>
    </Card>
  )
}
