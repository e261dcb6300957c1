// A new secret key with the rights that it needs, among those of the person who makes it; from everywhere or from listed addresses.
import { Checkbox, Modal, Textarea, TextInput } from '@mantine/core'
import type { KeyInput, NewKeyBody } from '../../../../server/src/dashboard-api/shapes.ts'
import { permissionsOfRole, USUAL_PERMISSIONS } from '../../../../server/src/domain/key-permission.ts'
import { useChange } from '../../api/account.ts'
import { post } from '../../api/client.ts'
import { Form, Send } from '../../parts/form.tsx'
import { usePlace } from '../../session/place.ts'
import { useWords } from '../../words/language.tsx'

export function NewKey({ isOpen, close, made }: { isOpen: boolean; close(): void; made(key: NewKeyBody): void }) {
  const { developers, shell } = useWords()
  const { keys } = developers
  const { accountId, role } = usePlace()
  const offered = permissionsOfRole(role)
  const base = `accounts/${accountId}`
  const make = useChange(base, (input: KeyInput) => post<NewKeyBody>(`${base}/keys`, input), ['keys'])
  return (
    <Modal opened={isOpen} onClose={close} title={keys.addTitle} closeButtonProps={{ 'aria-label': shell.close }}>
      <Form
        onSend={async (fields) => {
          const networks = (fields.networks ?? '').split(/[\s,;]+/).filter(Boolean)
          const key = await make.mutateAsync({
            name: fields.name ?? '',
            permissions: offered.filter((each) => fields[each] !== undefined),
            networks: networks.length === 0 ? null : networks,
          })
          close()
          made(key)
        }}
      >
        <TextInput name="name" label={keys.name} description={keys.nameHelp} required maxLength={60} data-autofocus />
        <fieldset className="choices">
          <legend>{keys.permissions}</legend>
          {offered.map((each) => (
            <Checkbox
              key={each}
              name={each}
              label={keys.permission[each]}
              defaultChecked={USUAL_PERMISSIONS.some((usual) => usual === each)}
            />
          ))}
          {!offered.includes('refund') && <p className="soft">{keys.permissionsHelp}</p>}
        </fieldset>
        <Textarea name="networks" label={keys.networks} description={keys.networksHelp} rows={3} />
        <Send>{keys.create}</Send>
      </Form>
    </Modal>
  )
}
