// A new secret key, with all rights or with those it needs, from everywhere or from listed addresses.
import { Checkbox, Modal, Switch, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { KeyInput, KeyPermission, NewKeyBody } from '../../../../server/src/dashboard-api/shapes.ts'
import { useChange } from '../../api/account.ts'
import { post } from '../../api/client.ts'
import { Form, Send } from '../../parts/form.tsx'
import { usePlace } from '../../session/place.ts'
import { useWords } from '../../words/language.tsx'

const PERMISSIONS: readonly KeyPermission[] = ['read', 'create', 'refund']

export function NewKey({ isOpen, close, made }: { isOpen: boolean; close(): void; made(key: NewKeyBody): void }) {
  const { developers, shell } = useWords()
  const { keys } = developers
  const { accountId } = usePlace()
  const base = `accounts/${accountId}`
  const make = useChange(base, (input: KeyInput) => post<NewKeyBody>(`${base}/keys`, input), ['keys'])
  const [isLimited, setLimited] = useState(false)
  return (
    <Modal opened={isOpen} onClose={close} title={keys.addTitle} closeButtonProps={{ 'aria-label': shell.close }}>
      <Form
        onSend={async (fields) => {
          const networks = (fields.networks ?? '').split(/[\s,;]+/).filter(Boolean)
          const permissions = isLimited ? PERMISSIONS.filter((each) => fields[each] !== undefined) : null
          const key = await make.mutateAsync({
            name: fields.name ?? '',
            permissions,
            networks: networks.length === 0 ? null : networks,
          })
          close()
          made(key)
        }}
      >
        <TextInput name="name" label={keys.name} description={keys.nameHelp} required maxLength={60} data-autofocus />
        <Switch
          label={keys.limit}
          checked={isLimited}
          onChange={({ currentTarget }) => setLimited(currentTarget.checked)}
        />
        {isLimited &&
          PERMISSIONS.map((each) => (
            <Checkbox key={each} name={each} label={keys.permission[each]} defaultChecked={each === 'read'} />
          ))}
        <Textarea name="networks" label={keys.networks} description={keys.networksHelp} rows={3} />
        <Send>{keys.create}</Send>
      </Form>
    </Modal>
  )
}
