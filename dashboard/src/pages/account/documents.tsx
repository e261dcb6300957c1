// Documents for the validation. They are checked here for size and type so that nobody waits for a refusal; the server checks again.
import { Button, FileButton } from '@mantine/core'
import type { SettingsBody } from '../../../../server/src/dashboard-api/shapes.ts'
import { useChange } from '../../api/account.ts'
import { ApiError, addressOf, query, remove, sendFile } from '../../api/client.ts'
import * as format from '../../format.ts'
import { PlusIcon } from '../../parts/icons.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card } from '../../parts/page.tsx'
import { When } from '../../parts/when.tsx'
import { usePlace } from '../../session/place.ts'
import { may } from '../../session/session.ts'
import { useSpoken } from '../../words/language.tsx'

const TYPES = ['application/pdf', 'image/jpeg', 'image/png']
const MOST_BYTES = 5 * 1024 * 1024
const MOST_DOCUMENTS = 10

export function Documents({ documents }: { documents: SettingsBody['documents'] }) {
  const { words, language } = useSpoken()
  const texts = words.account.documents
  const { accountId, role } = usePlace()
  const { say, complain } = useMessages()
  const base = `accounts/${accountId}`
  const isOwn = may(role, 'changeSettings')
  const add = useChange(base, send, ['settings'])
  const drop = useChange(base, (documentId: string) => remove(`${base}/documents/${documentId}`), ['settings'])

  async function send(file: File): Promise<unknown> {
    if (file.size > MOST_BYTES || !TYPES.includes(file.type)) throw new ApiError(422, { code: 'document_not_valid' })
    return sendFile('POST', `${base}/documents${query({ name: file.name })}`, file)
  }

  return (
    <Card className="half" title={texts.title}>
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
                aria-label={`${texts.remove} ${name}`}
                onClick={() => drop.mutate(documentId, { onError: complain })}
              >
                {texts.remove}
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
