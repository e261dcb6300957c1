// Payment links: made in three fields, listed with what each brought in.
import { Button, Modal, Switch, TextInput } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { LinkInput, LinkRow } from '../../../server/src/dashboard-api/shapes.ts'
import { useChange, usePages } from '../api/account.ts'
import { post } from '../api/client.ts'
import * as format from '../format.ts'
import { Form, Send } from '../parts/form.tsx'
import { LinkIcon, PlusIcon } from '../parts/icons.tsx'
import { useMessages } from '../parts/messages.tsx'
import { Card, Empty, PageTitle } from '../parts/page.tsx'
import { type Column, PagedRows } from '../parts/rows.tsx'
import { State } from '../parts/state.tsx'
import { When } from '../parts/when.tsx'
import { usePlace } from '../session/place.ts'
import { may } from '../session/session.ts'
import { useWords } from '../words/language.tsx'
import { LINK_TONES } from './link-tones.ts'

export function Links() {
  const { links, shell } = useWords()
  const { accountId, role } = usePlace()
  const [isOpen, setOpen] = useState(false)
  const pages = usePages<LinkRow>(`accounts/${accountId}`, 'links')
  const add = may(role, 'makeLinks') && (
    <Button leftSection={<PlusIcon size={18} />} onClick={() => setOpen(true)}>
      {links.add}
    </Button>
  )
  return (
    <>
      <PageTitle title={links.title}>{add}</PageTitle>
      <Card flush>
        <PagedRows
          label={links.title}
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
      </Card>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={links.add}
        closeButtonProps={{ 'aria-label': shell.close }}
      >
        <NewLink />
      </Modal>
    </>
  )
}

function NewLink() {
  const { links } = useWords()
  const { accountId } = usePlace()
  const { say } = useMessages()
  const navigate = useNavigate()
  const base = `accounts/${accountId}`
  const make = useChange(base, (input: LinkInput) => post<LinkRow>(`${base}/links`, input), ['links'])
  return (
    <Form
      onSend={async ({ title = '', amount = '', reusable }) => {
        const francs = amount.replace(/\D/g, '')
        const made = await make.mutateAsync({
          title,
          reusable: reusable !== undefined,
          ...(francs !== '' && { amount: Number(francs) }),
        })
        say(links.made)
        await navigate({ to: '/a/$accountId/links/$reference', params: { accountId, reference: made.reference } })
      }}
    >
      <TextInput
        name="title"
        label={links.what}
        description={links.whatHelp}
        size="md"
        required
        maxLength={120}
        data-autofocus
      />
      <TextInput
        name="amount"
        label={links.amount}
        description={links.amountHelp}
        size="md"
        inputMode="numeric"
        rightSection={<span className="soft unit">F CFA</span>}
        rightSectionWidth={64}
      />
      <Switch name="reusable" size="md" label={links.reusable} description={links.reusableHelp} />
      <Send fullWidth>{links.create}</Send>
    </Form>
  )
}

function useColumns(accountId: string): Column<LinkRow>[] {
  const { links } = useWords()
  return [
    {
      heading: links.link,
      cell: ({ reference, title, amount, reusable }) => (
        <>
          <Link className="opener" to="/a/$accountId/links/$reference" params={{ accountId, reference }}>
            {title}
          </Link>
          <span className="sub">
            {amount === null ? links.anyAmount : format.amount(amount)} · {reusable ? links.reusable : links.single}
          </span>
        </>
      ),
    },
    { heading: links.created, from: 'md', isTight: true, cell: ({ createdAt }) => <When at={createdAt} /> },
    {
      heading: links.state,
      from: 'sm',
      cell: ({ state }) => <State tone={LINK_TONES[state]}>{links.states[state]}</State>,
    },
    {
      heading: links.collected,
      at: 'end',
      isTight: true,
      cell: ({ collected, payments, state }) => (
        <>
          <b>{format.amount(collected)}</b>
          <span className="sub">{links.payments(format.count(payments))}</span>
          <span className="sub until-sm">
            <State tone={LINK_TONES[state]}>{links.states[state]}</State>
          </span>
        </>
      ),
    },
  ]
}
