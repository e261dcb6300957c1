// Tabs whose choice is in the page's address, as links: each can be opened, bookmarked and sent.
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

interface AddressTabsProps {
  label: string
  at: string
  tabs: readonly { part: string; name: string }[]
  current: string
}

export function AddressTabs({ label, at, tabs, current }: AddressTabsProps) {
  const nav = useRef<HTMLElement>(null)
  // On a phone not all fit: the current one is moved into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows the current tab
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [current])
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {tabs.map(({ part, name }) => (
        <Link
          key={part}
          to={`${at}/${part}` as string}
          aria-current={part === current ? 'page' : undefined}
          activeProps={{}}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
