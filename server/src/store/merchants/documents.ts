// Documents for a merchant's validation: files in chunks, sealed before they are stored.
import type { Queries } from '../engine/database.ts'
import { columnsOf, deleteRows, firstRow, firstValue, insertRow } from '../rows.ts'

export interface MerchantDocument {
  documentId: string
  name: string
  type: string
  bytes: number
  uploadedAt: number
}

export interface SealedDocument extends MerchantDocument {
  contentKey: string
}

const FIELDS = {
  documentId: 'document_id',
  name: 'name',
  type: 'type',
  bytes: 'bytes',
  uploadedAt: 'uploaded_at',
}

const MERCHANT_DOCUMENT = columnsOf<MerchantDocument>(FIELDS)

export const listDocuments = (db: Queries, merchantId: string) =>
  db.read<MerchantDocument>(
    `select ${MERCHANT_DOCUMENT} from merchant_documents
     where merchant_id = :merchantId order by uploaded_at, document_id`,
    { merchantId },
  )

const SEALED_DOCUMENT = columnsOf<SealedDocument>({ ...FIELDS, contentKey: 'content_key' })

export const findDocument = (db: Queries, merchantId: string, documentId: string) =>
  firstRow<SealedDocument>(
    db,
    `select ${SEALED_DOCUMENT} from merchant_documents
     where merchant_id = :merchantId and document_id = :documentId`,
    { merchantId, documentId },
  )

export async function insertDocument(
  tx: Queries,
  merchantId: string,
  document: SealedDocument & { uploadedBy: string },
  chunks: readonly string[],
): Promise<void> {
  const { documentId } = document
  await insertRow(tx, 'merchant_documents', { merchantId, ...document })
  for (const [chunk, content] of chunks.entries()) {
    await insertRow(tx, 'document_chunks', { documentId, chunk, content })
  }
}

export const findChunk = (db: Queries, documentId: string, chunk: number) =>
  firstValue<string>(
    db,
    'select content from document_chunks where document_id = :documentId and chunk = :chunk',
    { documentId, chunk },
  )

/** False when the merchant has no such document. */
export async function removeDocument(
  tx: Queries,
  merchantId: string,
  documentId: string,
): Promise<boolean> {
  if ((await deleteRows(tx, 'merchant_documents', { merchantId, documentId })) === 0) return false
  await deleteRows(tx, 'document_chunks', { documentId })
  return true
}
