// The frame of the console for the service's staff.
import * as icons from '../parts/icons.tsx'
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
              { to: '/console', name: names.figures, icon: icons.FiguresIcon, isExact: true },
              { to: '/console/merchants', name: names.merchants, icon: icons.PersonIcon },
              { to: '/console/payments', name: names.search, icon: icons.SearchIcon },
              { to: '/console/tasks', name: names.tasks, icon: icons.TasksIcon },
              { to: '/console/waiting', name: names.waiting, icon: icons.ClockIcon },
              { to: '/console/connections', name: names.connections, icon: icons.ConnectionIcon },
              { to: '/console/differences', name: names.differences, icon: icons.WarningIcon },
              { to: '/console/files', name: names.files, icon: icons.MoneyIcon },
              { to: '/console/audit', name: names.audit, icon: icons.BookIcon },
              { to: '/console/security', name: names.security, icon: icons.LockIcon },
            ]}
          />
        )
      }}
    </SignedIn>
  )
}
