// The frame of the console for the service's staff.
import {
  BookIcon,
  ClockIcon,
  ConnectionIcon,
  FiguresIcon,
  LockIcon,
  PaymentsIcon,
  PersonIcon,
  TasksIcon,
} from '../parts/icons.tsx'
import { MissingPage } from '../parts/page.tsx'
import { useWords } from '../words/language.tsx'
import { Frame, MustDo, SignedIn } from './frame.tsx'

export function ConsoleShell() {
  const { shell } = useWords()
  const names = shell.console
  return (
    <SignedIn>
      {({ service, mustDo }) => {
        if (service === null) return <MissingPage />
        if (mustDo !== null) return <MustDo />
        return (
          <Frame
            name={shell.consoleName}
            role={shell.roles[service.role]}
            home="/console"
            securityAt="/console/security"
            menu={[
              { to: '/console', name: names.figures, icon: FiguresIcon, isExact: true },
              { to: '/console/merchants', name: names.merchants, icon: PersonIcon },
              { to: '/console/payments', name: names.payments, icon: PaymentsIcon },
              { to: '/console/tasks', name: names.tasks, icon: TasksIcon },
              { to: '/console/waiting', name: names.waiting, icon: ClockIcon },
              { to: '/console/connections', name: names.connections, icon: ConnectionIcon },
              { to: '/console/audit', name: names.audit, icon: BookIcon },
              { to: '/console/security', name: names.security, icon: LockIcon },
            ]}
          />
        )
      }}
    </SignedIn>
  )
}
