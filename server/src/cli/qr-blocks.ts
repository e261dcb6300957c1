// A QR code as text: each line of block characters holds two rows of modules.
import encodeQR from 'qr'

/** Light modules around the code; scanners need four. */
const QUIET_ZONE = 4
const BLOCKS = [' ', '▄', '▀', '█'] as const

/** Dark on light whatever the terminal's colours are; without a terminal, no colours. */
const ON_WHITE = '\u001b[30;107m'
const RESET = '\u001b[0m'

export function qrBlocks(address: string, isTerminal: boolean): string[] {
  const rows = encodeQR(address, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  const lines: string[] = []
  for (let at = 0; at < rows.length; at += 2) {
    const [upper = [], lower = []] = [rows[at], rows[at + 1]]
    const line = upper.map((isDark, column) => BLOCKS[(isDark ? 2 : 0) + (lower[column] ? 1 : 0)]).join('')
    lines.push(isTerminal ? ON_WHITE + line + RESET : line)
  }
  return lines
}
