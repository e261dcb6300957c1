// The fonts of every PDF: with the letters of Hausa and Fon, which the fonts inside PDF readers
// lack.
import { fileURLToPath } from 'node:url'

export const PDF_FONTS = {
  plain: fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
  bold: fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
}
