// The limits of a statement file. Every number has its reason, and a file beyond one is refused.

/** A month of a large merchant at one network has about a million lines of some 150 bytes. */
export const LARGEST_CSV_BYTES = 200_000_000
export const MOST_CSV_ROWS = 1_200_000

/** A workbook needs random access, so its file is held in memory. Larger statements come as CSV. */
export const LARGEST_XLSX_BYTES = 20_000_000
export const MOST_XLSX_ROWS = 100_000
/** Sheets are text that packs well: ten times the file is usual, and a thousand times is an attack. */
export const LARGEST_UNPACKED_BYTES = 200_000_000
/** A workbook of one sheet has about ten parts. */
export const MOST_ZIP_ENTRIES = 1_000
/** Distinct texts of a workbook: twenty for each row. */
export const MOST_SHARED_TEXTS = 20 * MOST_XLSX_ROWS

/** The widest known statement, MTN's, has 57 columns. */
export const MOST_COLUMNS = 100
/** Longer than any reference, name or message. */
export const LONGEST_CELL = 4_000
export const LONGEST_ROW = MOST_COLUMNS * LONGEST_CELL

/** Titles, periods and account holders stand above the headings: Airtel writes six such rows. */
export const MOST_ROWS_BEFORE_HEADING = 50
