// One payment link: to copy, to send, to print, to close.
import { Anchor, Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Link as RouterLink, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { LinkRow } from '../../../server/src/dashboard-api/shapes.ts'
import { useChange, useRead } from '../api/account.ts'
import { addressOf, post } from '../api/client.ts'
import * as format from '../format.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Detail, Details } from '../parts/details.tsx'
import { BackIcon, CopyIcon, DownloadIcon, PrintIcon } from '../parts/icons.tsx'
import { useMessages } from '../parts/messages.tsx'
import { Card, PageTitle, Read } from '../parts/page.tsx'
import { State } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { usePlace } from '../session/place.ts'
import { may } from '../session/session.ts'
import { useWords } from '../words/language.tsx'
import { LINK_TONES } from './link-tones.ts'

export function Link() {
  const { accountId } = usePlace()
  const { reference = '' } = useParams({ strict: false })
  const reading = useRead<LinkRow>(`accounts/${accountId}`, `links/${reference}`)
  return <Read reading={reading}>{(link) => <Shown link={link} />}</Read>
}

function Shown({ link }: { link: LinkRow }) {
  const { links } = useWords()
  const { accountId, role } = usePlace()
  const { title, amount, state, reusable, url, reference } = link
  const files = `accounts/${accountId}/links/${reference}`
  return (
    <>
      <PageTitle
        title={title}
        before={
          <Anchor component={RouterLink} to={`/a/${accountId}/links`} className="back">
            <BackIcon size={18} /> {links.back}
          </Anchor>
        }
      >
        {state === 'open' && may(role, 'makeLinks') && <CloseButton link={link} />}
      </PageTitle>
      <div className="grid">
        <Card className="third qr-card" title={links.qr}>
          <img className="qr" src={addressOf(`${files}/qr.svg`)} alt={links.qrOf(title)} width={220} height={220} />
          <div className="buttons">
            <Button
              component="a"
              href={addressOf(`${files}/qr.svg`)}
              download={`${reference}.svg`}
              variant="default"
              leftSection={<DownloadIcon size={18} />}
            >
              {links.svg}
            </Button>
            <Button
              component="a"
              href={addressOf(`${files}/qr.png`)}
              download={`${reference}.png`}
              variant="default"
              leftSection={<DownloadIcon size={18} />}
            >
              {links.png}
            </Button>
            <Button
              component="a"
              href={addressOf(`${files}/poster`)}
              target="_blank"
              rel="noreferrer"
              variant="light"
              leftSection={<PrintIcon size={18} />}
            >
              {links.poster}
            </Button>
          </div>
        </Card>
        <div className="two-thirds stack">
          <Card>
            <p className="big">{amount === null ? links.anyAmount : format.amount(amount)}</p>
            <Details>
              <Detail name={links.state}>
                <State tone={LINK_TONES[state]}>{links.states[state]}</State>
              </Detail>
              <Detail name={links.use}>{reusable ? links.reusable : links.single}</Detail>
              <Detail name={links.collected}>
                {format.amount(link.collected)} · {links.payments(format.count(link.payments))}
              </Detail>
              <Detail name={links.created}>
                <When at={link.createdAt} />
              </Detail>
              {link.expiresAt !== null && (
                <Detail name={links.expires}>
                  <When at={link.expiresAt} />
                </Detail>
              )}
            </Details>
          </Card>
          <Card title={links.share}>
            <p className="mono link-address">{url}</p>
            <Share title={title} url={url} />
          </Card>
        </div>
      </div>
    </>
  )
}

function Share({ title, url }: { title: string; url: string }) {
  const { links, shell } = useWords()
  const { copied, copy } = useClipboard({ timeout: 2_000 })
  const message = encodeURIComponent(links.message(title, url))
  return (
    <div className="buttons">
      <Button leftSection={<CopyIcon size={18} />} onClick={() => copy(url)}>
        {copied ? shell.copied : links.copy}
      </Button>
      <Button component="a" href={`https://wa.me/?text=${message}`} target="_blank" rel="noreferrer" variant="light">
        {links.whatsapp}
      </Button>
      <Button component="a" href={`sms:?&body=${message}`} variant="light">
        {links.sms}
      </Button>
      <Button component="a" href={url} target="_blank" rel="noreferrer" variant="default">
        {links.open}
      </Button>
    </div>
  )
}

function CloseButton({ link: { reference } }: { link: LinkRow }) {
  const { links } = useWords()
  const { accountId } = usePlace()
  const { say } = useMessages()
  const [isOpen, setOpen] = useState(false)
  const base = `accounts/${accountId}`
  const close = useChange(base, () => post(`${base}/links/${reference}/close`), ['links'])
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {links.close}
      </Button>
      <Confirm
        isOpen={isOpen}
        close={() => setOpen(false)}
        title={links.closeTitle}
        lead={links.closeLead}
        act={links.close}
        isDangerous
        onAct={async () => {
          await close.mutateAsync()
          say(links.closed)
        }}
      />
    </>
  )
}
