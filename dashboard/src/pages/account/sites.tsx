// The sites that may show the account's payment button.
import { Textarea } from '@mantine/core'
import { Form, Send } from '../../parts/form.tsx'
import { useMessages } from '../../parts/messages.tsx'
import { Card, Read } from '../../parts/page.tsx'
import { usePlace } from '../../session/place.ts'
import { may } from '../../session/session.ts'
import { useWords } from '../../words/language.tsx'
import { useSaveSettings, useSettings } from './settings.ts'

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
