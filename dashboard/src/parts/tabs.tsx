// Tabs whose choice is in the page's address, as links: each can be opened, bookmarked and sent.
import { Link } from '@tanstack/react-router'

interface AddressTabsProps {
  label: string
  at: string
  tabs: readonly { part: string; name: string }[]
  current: string
}

export function AddressTabs({ label, at, tabs, current }: AddressTabsProps) {
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(({ part, name }) => (
        <Link key={part} to={`${at}/${part}` as string} aria-current={part === current ? 'page' : undefined} activeProps={{}}>
          {name}
        </Link>
      ))}
    </nav>
  )
}
