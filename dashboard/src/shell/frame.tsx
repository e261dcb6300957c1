// The frame of every page for signed-in people: the menu at the side (behind a button on a phone), the bar at the top, the page.
import { ActionIcon, Drawer } from '@mantine/core'
import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Mark, MenuIcon } from '../parts/icons.tsx'
import { Waiting } from '../parts/page.tsx'
import { useWords } from '../words/language.tsx'
import { PersonMenu } from './person-menu.tsx'

interface MenuEntry {
  to: string
  name: string
  icon: ComponentType
  /** The address is this very one, not one below it. */
  isExact?: boolean
}

interface FrameProps {
  name: string
  role: string
  home: string
  /** In the place of the name: leads to other merchants. */
  switcher?: ReactNode
  menu: readonly MenuEntry[]
  /** Above everything: what must not be overlooked. */
  band?: ReactNode
  /** In the bar at the top. */
  top?: ReactNode
  securityAt: string
}

export function Frame({ name, role, home, switcher, menu, band, top, securityAt }: FrameProps) {
  const { shell } = useWords()
  const { pathname } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  // A screen reader is taken to the new page; whoever typed an address is left where they are.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is what it follows
  useEffect(() => {
    setOpen(false)
    if (!isFirst.current) main.current?.focus({ preventScroll: true })
    isFirst.current = false
  }, [pathname])
  const side = (
    <>
      {switcher ?? (
        <Link to={home} className="brand">
          <Mark size={32} />
          <span>
            <b>{name}</b>
            <small>{role}</small>
          </span>
        </Link>
      )}
      <nav className="nav" aria-label={shell.mainMenu}>
        {menu.map(({ to, name: entry, icon: Icon, isExact = false }) => (
          <Link key={to} to={to} activeOptions={{ exact: isExact, includeSearch: false }}>
            <Icon />
            {entry}
          </Link>
        ))}
      </nav>
    </>
  )
  return (
    <>
      <a className="skip" href="#main">
        {shell.skip}
      </a>
      {band}
      <div className="shell">
        <aside className="side">{side}</aside>
        <div>
          <section className="top" aria-label={shell.topBar}>
            <span className="only-narrow">
              <ActionIcon
                variant="subtle"
                color="gray"
                size={44}
                aria-label={shell.openMenu}
                onClick={() => setOpen(true)}
              >
                <MenuIcon size={24} />
              </ActionIcon>
            </span>
            {top}
            <span className="grow" />
            <PersonMenu securityAt={securityAt} />
          </section>
          <main id="main" ref={main} tabIndex={-1}>
            <Suspense fallback={<Waiting lines={9} />}>
              <Outlet />
            </Suspense>
          </main>
        </div>
      </div>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        size="18rem"
        title={shell.product}
        closeButtonProps={{ 'aria-label': shell.closeMenu }}
      >
        <div className="drawer">{side}</div>
      </Drawer>
    </>
  )
}
