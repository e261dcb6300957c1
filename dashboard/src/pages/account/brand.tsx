// What customers see of the shop, with a preview that follows every key.
import { Button, FileButton, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { SettingsBody } from '../../../../server/src/dashboard-api/shapes.ts'
import { useChange } from '../../api/account.ts'
import { sendFile } from '../../api/client.ts'
import * as format from '../../format.ts'
import { Form, Send } from '../../parts/form.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Read } from '../../parts/page.tsx'
import { usePlace } from '../../session/place.ts'
import { may } from '../../session/session.ts'
import { useWords } from '../../words/language.tsx'
import { useSaveSettings, useSettings } from './settings.ts'

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
  const { accountId } = usePlace()
  const { complain } = useMessages()
  const base = `accounts/${accountId}`
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
