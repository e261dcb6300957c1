// What merchants show to be validated: files in chunks, sealed before they come here.
import { columns } from '../engine/columns.ts'
import type { Queries } from '../engine/database.ts'

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

const DOCUMENT = { documentId: 'document_id', name: 'name', type: 'type', bytes: 'bytes', uploadedAt: 'uploaded_at' }

export const listDocuments = (db: Queries, merchantId: string): Promise<MerchantDocument[]> =>
  db.rows<MerchantDocument>(
    `select ${columns<MerchantDocument>(DOCUMENT)} from merchant_documents
     where merchant_id = $1 order by uploaded_at, document_id`,
    [merchantId],
  )

export async function findDocument(
  db: Queries,
  merchantId: string,
  documentId: string,
): Promise<SealedDocument | undefined> {
  const [document] = await db.rows<SealedDocument>(
    `select ${columns<SealedDocument>({ ...DOCUMENT, contentKey: 'content_key' })} from merchant_documents
     where merchant_id = $1 and document_id = $2`,
    [merchantId, documentId],
  )
  return document
}

export async function insertDocument(
  tx: Queries,
  merchantId: string,
  document: SealedDocument & { uploadedBy: string },
  chunks: readonly string[],
): Promise<void> {
  const { documentId, name, type, bytes, contentKey, uploadedAt, uploadedBy } = document
  await tx.change(
    `insert into merchant_documents
       (merchant_id, document_id, name, type, bytes, content_key, uploaded_at, uploaded_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [merchantId, documentId, name, type, bytes, contentKey, uploadedAt, uploadedBy],
  )
  for (const [chunk, content] of chunks.entries()) {
    await tx.change('insert into document_chunks (document_id, chunk, content) values ($1, $2, $3)', [
      documentId,
      chunk,
      content,
    ])
  }
}

export async function findChunk(db: Queries, documentId: string, chunk: number): Promise<string | undefined> {
  const [row] = await db.rows<{ content: string }>(
    'select content from document_chunks where document_id = $1 and chunk = $2',
    [documentId, chunk],
  )
  return row?.content
}

/** False when the merchant has no such document. */
export async function removeDocument(tx: Queries, merchantId: string, documentId: string): Promise<boolean> {
  const removed = await tx.change('delete from merchant_documents where merchant_id = $1 and document_id = $2', [
    merchantId,
    documentId,
  ])
  if (removed === 1) await tx.change('delete from document_chunks where document_id = $1', [documentId])
  return removed === 1
}
