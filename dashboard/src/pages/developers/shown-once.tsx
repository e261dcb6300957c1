// A secret that is never shown again. Only its own button closes it, so that it is not lost by a slip.
import { Button, Modal, Stack } from '@mantine/core'
import { CodeBlock } from '../../parts/copy.tsx'

interface ShownOnceProps {
  title: string
  lead: string
  act: string
  secret: string | undefined
  close(): void
}

export function ShownOnce({ title, lead, act, secret, close }: ShownOnceProps) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={() => {}}
      title={title}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <p>{lead}</p>
        <CodeBlock text={secret ?? ''} name={title} />
        <Button onClick={close}>{act}</Button>
      </Stack>
    </Modal>
  )
}
