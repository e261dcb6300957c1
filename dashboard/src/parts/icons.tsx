// The icons, drawn in 24 by 24. They are decoration: each has a word next to it, or a label on its
// button.

const icon = (drawing: string, strokeWidth = 1.75) =>
  function Icon({ size = 20 }: { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={strokeWidth}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        <path d={drawing} />
      </svg>
    )
  }

/** A coin above a calabash, as on the payers' pages. */
export const Mark = ({ size = 28 }: { size?: number }) => (
  <svg width={size} height={size} viewBox="0 0 24 24" aria-hidden="true">
    <path fill="var(--mantine-primary-color-filled)" d="M2 12h20a10 10 0 0 1-20 0z" />
    <circle cx="12" cy="5.5" r="4" fill="#f2b34c" />
  </svg>
)

export const HomeIcon = icon('M4 11l8-7 8 7v8a1 1 0 0 1-1 1h-5v-6h-4v6H5a1 1 0 0 1-1-1z')
export const PaymentsIcon = icon(
  'M7 20V5m0 0L3.5 8.5M7 5l3.5 3.5M17 4v15m0 0l3.5-3.5M17 19l-3.5-3.5',
)
export const MoneyIcon = icon(
  'M4 7h13a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V6a2 2 0 0 1 2-2h11v3M15.5 13.5h.01',
)
export const LinkIcon = icon(
  'M10 14a4 4 0 0 0 6 .4l3-3a4.2 4.2 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4.2 4.2 0 0 0 6 6l1-1',
)
export const CodeIcon = icon('M8 7l-5 5 5 5M16 7l5 5-5 5M13.5 5l-3 14')
export const PhoneIcon = icon(
  'M9.5 2.5h5a2.5 2.5 0 0 1 2.5 2.5v14a2.5 2.5 0 0 1 -2.5 2.5h-5a2.5 2.5 0 0 1 -2.5 -2.5v-14a2.5 2.5 0 0 1 2.5 -2.5zM11 18.5h2',
)
export const AccountIcon = icon('M4 20V8l8-4 8 4v12M9 20v-5h6v5M8.5 11h.01M12 11h.01M15.5 11h.01')
export const FiguresIcon = icon('M4 20h16M7 16v-4M12 16V6M17 16v-7')
export const TasksIcon = icon('M9 6h11M9 12h11M9 18h11M4 6l1 1 1.5-2M4 12l1 1 1.5-2M4 18l1 1 1.5-2')
export const ClockIcon = icon('M12 3.5a8.5 8.5 0 1 1 0 17a8.5 8.5 0 1 1 0 -17zM12 7v5l3.5 2')
export const ConnectionIcon = icon('M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4')
export const BookIcon = icon('M6 3h12v18l-3-2-3 2-3-2-3 2zM9.5 8h5M9.5 12h5')
export const BankIcon = icon('M3.5 9.5L12 4.5l8.5 5zM6 10v7M10 10v7M14 10v7M18 10v7M4 20h16')
export const ChooseIcon = icon('M8 9.5L12 5.5l4 4M8 14.5l4 4 4-4')
export const LockIcon = icon(
  'M7 11h10a2 2 0 0 1 2 2v5.5a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-5.5a2 2 0 0 1 2 -2zM8 11V8a4 4 0 0 1 8 0v3',
)
export const SearchIcon = icon('M11 4.5a6.5 6.5 0 1 1 0 13a6.5 6.5 0 1 1 0 -13zM16 16l4.5 4.5')
export const FilterIcon = icon('M4 6h16M7 12h10M10 18h4')
export const DownloadIcon = icon('M12 4v11m0 0l-4-4m4 4l4-4M5 20h14')
export const CopyIcon = icon(
  'M11 9h7a2 2 0 0 1 2 2v7a2 2 0 0 1 -2 2h-7a2 2 0 0 1 -2 -2v-7a2 2 0 0 1 2 -2zM5 15V6a2 2 0 0 1 2-2h8',
)
export const CheckIcon = icon('M5 12.5l4.5 4.5L19 7.5')
export const BackIcon = icon('M14.5 6l-6 6 6 6')
export const MenuIcon = icon('M4 7h16M4 12h16M4 17h16')
export const PersonIcon = icon(
  'M12 4.75a3.75 3.75 0 1 1 0 7.5a3.75 3.75 0 1 1 0 -7.5zM4.5 20a7.5 7.5 0 0 1 15 0',
)
export const SunIcon = icon(
  'M12 8a4 4 0 1 1 0 8a4 4 0 1 1 0 -8zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1 1M17.4 17.4l1 1M18.4 5.6l-1 1M6.6 17.4l-1 1',
)
export const WarningIcon = icon('M12 4.5l8.5 15h-17zM12 10v4.5M12 17h.01')
export const PlusIcon = icon('M12 5v14M5 12h14')
export const ShareIcon = icon('M12 15V4m0 0L8 8m4-4l4 4M6 12v7a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1v-7')
export const ResendIcon = icon('M20 12a8 8 0 1 1-2.5-5.8M20 3v4.5h-4.5')
export const PrintIcon = icon('M7 9V4h10v5M7 17H4v-7h16v7h-3M7 14h10v6H7z')
export const OutIcon = icon('M14 5H6v14h8M11 12h9m0 0l-3.5-3.5M20 12l-3.5 3.5')
export const InboxIcon = icon('M4 13l2.5-8h11L20 13v6H4zM4 13h5l1 2.5h4l1-2.5h5')
export const MoreIcon = icon('M5.5 12h.01M12 12h.01M18.5 12h.01', 2.75)
