// Payment links: a form to create one, and the list with the amount that each collected.
import { Button, Switch, Textarea, TextInput } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { Link as RouterLink, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { LinkRow } from '../../../server/src/dashboard-api/contract.ts'
import { usePages, useRead } from '../api/account.ts'
import { ask, fileAt } from '../api/client.ts'
import { may, usePlace } from '../api/session.ts'
import { dayName, dotted, formatAmount, formatCount } from '../format.ts'
import { AddButton, ConfirmButton, Dialog, Form, Send } from '../parts/form.tsx'
import { CopyIcon, DownloadIcon, LinkIcon, PrintIcon } from '../parts/icons.tsx'
import { Card, Empty, PageTitle, Read } from '../parts/page.tsx'
import { type Column, PagedRows, TwoLines } from '../parts/rows.tsx'
import { Detail, Details, State, type Tone, When } from '../parts/values.tsx'
import { useWords } from '../words/language.tsx'

export function Links() {
  const { links, shell } = useWords()
  const { accountId, base, role } = usePlace()
  const [isOpen, setOpen] = useState(false)
  const pages = usePages(base, 'GET /links')
  const add = may(role, 'makeLinks') && (
    <AddButton onClick={() => setOpen(true)}>{links.add}</AddButton>
  )
  return (
    <>
      <PageTitle title={shell.links}>{add}</PageTitle>
      <PagedRows
        label={shell.links}
        pages={pages}
        columns={useColumns(accountId)}
        keyOf={({ reference }) => reference}
        opens
        empty={
          <Empty icon={<LinkIcon size={40} />} title={links.empty} help={links.emptyHelp}>
            {add}
          </Empty>
        }
      />
      <Dialog isOpen={isOpen} close={() => setOpen(false)} title={links.add}>
        <NewLink />
      </Dialog>
    </>
  )
}

/** A link expires after 90 days at most. */
const LONGEST_MS = 89 * 86_400_000

/** `1 000` or `1.000` is a thousand francs: amounts have no centimes. */
const francsIn = (written: string): number[] => {
  const digits = written.replace(/\D/g, '')
  return digits === '' ? [] : [Number(digits)]
}

function NewLink() {
  const { common, links } = useWords()
  const [hasAmount, setHasAmount] = useState(false)
  // A link without an amount is nearly always for many payers; one with an amount is an order of
  // one.
  const [reusable = !hasAmount, setReusable] = useState<boolean>()
  const { accountId, base, change } = usePlace()
  const navigate = useNavigate()
  return (
    <Form
      done={links.made}
      onSend={async ({
        title = '',
        description = '',
        amount: typed = '',
        suggested = '',
        lastDay = '',
        reusable,
      }) => {
        const [amount] = francsIn(typed)
        const suggestedAmounts =
          amount === undefined ? suggested.split(/[;/\n]/).flatMap(francsIn) : []
        const input = {
          title,
          description,
          lastDay,
          amount,
          suggestedAmounts,
          reusable: reusable !== undefined,
        }
        const { reference } = await change(ask(base, 'POST /links', input), 'links')
        await navigate({ to: '/a/$accountId/links/$reference', params: { accountId, reference } })
      }}
    >
      <TextInput
        name="title"
        label={links.what}
        description={links.whatHelp}
        required
        maxLength={120}
        data-autofocus
      />
      <TextInput
        name="amount"
        label={common.amount}
        description={links.amountHelp}
        onChange={({ currentTarget }) => setHasAmount(/\d/.test(currentTarget.value))}
        inputMode="numeric"
        rightSection={<span className="soft unit">F CFA</span>}
        rightSectionWidth={64}
      />
      <TextInput
        name="suggested"
        label={links.suggested}
        description={links.suggestedHelp}
        disabled={hasAmount}
        rightSection={<span className="soft unit">F CFA</span>}
        rightSectionWidth={64}
      />
      <Textarea
        name="description"
        label={links.description}
        description={links.descriptionHelp}
        maxLength={500}
        autosize
      />
      <TextInput
        name="lastDay"
        type="date"
        label={links.lastDay}
        description={links.lastDayHelp}
        min={dayName(Date.now())}
        max={dayName(Date.now() + LONGEST_MS)}
      />
      <Switch
        name="reusable"
        size="md"
        label={links.reusable}
        description={links.reusableHelp}
        checked={reusable}
        onChange={({ currentTarget }) => setReusable(currentTarget.checked)}
      />
      <Send fullWidth>{links.create}</Send>
    </Form>
  )
}

function useColumns(accountId: string): Column<LinkRow>[] {
  const { common, links } = useWords()
  const amountOf = (amount: number | null) =>
    amount === null ? links.anyAmount : formatAmount(amount)
  return [
    {
      heading: links.link,
      cell: ({ reference, title, amount, reusable, createdAt }) => (
        <TwoLines
          sub={
            <>
              {dotted(amountOf(amount), reusable ? links.reusable : links.single)}
              <span className="until-md">
                {' '}
                ·&nbsp;
                <When at={createdAt} />
              </span>
            </>
          }
        >
          <RouterLink
            className="opener"
            to="/a/$accountId/links/$reference"
            params={{ accountId, reference }}
          >
            {title}
          </RouterLink>
        </TwoLines>
      ),
    },
    {
      heading: common.created,
      from: 'md',
      isTight: true,
      cell: ({ createdAt }) => <When at={createdAt} />,
    },
    {
      heading: links.expires,
      from: 'md',
      isTight: true,
      cell: ({ expiresAt }) =>
        expiresAt === null ? (
          <span className="soft">{links.neverExpires}</span>
        ) : (
          <When at={expiresAt} />
        ),
    },
    {
      heading: common.state,
      from: 'sm',
      cell: ({ state }) => <State tone={LINK_TONES[state]}>{links.states[state]}</State>,
    },
    {
      heading: common.collected,
      at: 'end',
      isTight: true,
      cell: ({ collected, payments, state }) => (
        <>
          {collected !== null && <b>{formatAmount(collected)}</b>}
          <span className="sub">{links.payments(formatCount(payments))}</span>
          <span className="sub until-sm">
            <State tone={LINK_TONES[state]}>{links.states[state]}</State>
          </span>
        </>
      ),
    },
  ]
}

export function Link() {
  const { base } = usePlace()
  const { reference = '' } = useParams({ strict: false })
  const reading = useRead(base, 'GET /links/:reference', { reference })
  return <Read reading={reading}>{(link) => <Shown link={link} />}</Read>
}

function Shown({ link }: { link: LinkRow }) {
  const { common, links, shell } = useWords()
  const { accountId, base, change, role } = usePlace()
  const { title, amount, state, reusable, url, reference } = link
  return (
    <>
      <PageTitle title={title} back={{ to: `/a/${accountId}/links`, name: links.back }}>
        {state === 'open' && may(role, 'makeLinks') && (
          <ConfirmButton
            title={links.closeTitle}
            lead={links.closeLead}
            act={links.close}
            isDangerous
            onAct={() => change(ask(base, 'POST /links/:reference/close', { reference }), 'links')}
            done={links.closed}
          />
        )}
      </PageTitle>
      <div className="grid">
        <Card className="third qr-card" title={links.qr}>
          <img
            className="qr"
            src={fileAt(base, 'GET /links/:reference/qr.svg', { reference })}
            alt={links.qrOf(title)}
            width={220}
            height={220}
          />
          <div className="buttons">
            {(['svg', 'png'] as const).map((type) => (
              <Button
                key={type}
                component="a"
                href={fileAt(base, `GET /links/:reference/qr.${type}`, { reference })}
                download={`${reference}.${type}`}
                variant="default"
                leftSection={<DownloadIcon size={18} />}
              >
                {links[type]}
              </Button>
            ))}
            <Button
              component="a"
              href={fileAt(base, 'GET /links/:reference/poster', { reference })}
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
            <p className="big">{amount === null ? links.anyAmount : formatAmount(amount)}</p>
            <Details>
              <Detail name={common.state}>
                <State tone={LINK_TONES[state]}>{links.states[state]}</State>
              </Detail>
              <Detail name={links.use}>{reusable ? links.reusable : links.single}</Detail>
              <Detail name={link.collected === null ? shell.payments : common.collected}>
                {link.collected === null
                  ? formatCount(link.payments)
                  : dotted(
                      formatAmount(link.collected),
                      links.payments(formatCount(link.payments)),
                    )}
              </Detail>
              <Detail name={common.created}>
                <When at={link.createdAt} />
              </Detail>
              <Detail name={links.expires}>
                {link.expiresAt === null ? links.neverExpires : <When at={link.expiresAt} />}
              </Detail>
              {link.suggestedAmounts.length > 0 && (
                <Detail name={links.suggested}>
                  {dotted(...link.suggestedAmounts.map(formatAmount))}
                </Detail>
              )}
              {link.description !== null && (
                <Detail name={links.description}>{link.description}</Detail>
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
      <Button
        component="a"
        href={`https://wa.me/?text=${message}`}
        target="_blank"
        rel="noreferrer"
        variant="light"
      >
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

/** Green only for an open link: no other can collect money. */
const LINK_TONES: Readonly<Record<LinkRow['state'], Tone>> = {
  open: 'good',
  paid: 'calm',
  expired: 'calm',
  closed: 'calm',
}
