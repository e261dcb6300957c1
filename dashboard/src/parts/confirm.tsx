// A question before what cannot be undone.
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useWords } from '../words/language.tsx'
import { useMessages } from './messages.tsx'

interface ConfirmProps {
  isOpen: boolean
  close(): void
  title: string
  lead?: string
  /** The word on the button that does it. */
  act: string
  isDangerous?: boolean
  isReady?: boolean
  onAct(): Promise<unknown>
  children?: ReactNode
}

/** Closes itself when it is done, and stays with the reason when it is refused. */
export function Confirm({
  isOpen,
  close,
  title,
  lead,
  act,
  isDangerous,
  isReady = true,
  onAct,
  children,
}: ConfirmProps) {
  const { shell } = useWords()
  const { complain } = useMessages()
  const [isBusy, setBusy] = useState(false)
  const submit = async (): Promise<void> => {
    setBusy(true)
    try {
      await onAct()
      close()
    } catch (error) {
      complain(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal opened={isOpen} onClose={close} title={title} closeButtonProps={{ 'aria-label': shell.close }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (isReady && !isBusy) void submit()
        }}
      >
        <Stack>
          {lead !== undefined && <Text>{lead}</Text>}
          {children}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {shell.cancel}
            </Button>
            <Button type="submit" loading={isBusy} disabled={!isReady} {...(isDangerous && { color: 'red.9' })}>
              {act}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
