// Files of networks' statements: a dry run, the import, the columns of an unknown file, and the files so far.
export const AccountFiles = () => null
