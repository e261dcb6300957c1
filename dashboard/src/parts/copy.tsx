// A text with a button that copies it.
import { ActionIcon } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useWords } from '../words/language.tsx'
import { CheckIcon, CopyIcon } from './icons.tsx'

/** `name` says what is copied, for those who do not see what stands beside the button. */
export function CopyButton({ text, name }: { text: string; name: string }) {
  const { shell } = useWords()
  const { copied, copy } = useClipboard({ timeout: 2_000 })
  const label = copied ? shell.copied : shell.copyThing(name)
  return (
    <ActionIcon
      variant="subtle"
      color={copied ? 'green' : 'gray'}
      size="lg"
      aria-label={label}
      title={label}
      onClick={() => copy(text)}
    >
      {copied ? <CheckIcon size={18} /> : <CopyIcon size={18} />}
    </ActionIcon>
  )
}

export function Copyable({ text, name, shown = text }: { text: string; name: string; shown?: string }) {
  return (
    <>
      <span className="mono">{shown}</span>
      <CopyButton text={text} name={name} />
    </>
  )
}

export function CodeBlock({ text, name }: { text: string; name: string }) {
  return (
    <div className="code-frame">
      <pre className="code-block">{text}</pre>
      <CopyButton text={text} name={name} />
    </div>
  )
}
