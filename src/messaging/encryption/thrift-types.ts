/** Type ids of the Thrift binary protocol (`doc/specs/thrift-binary-protocol.md`, "Struct"). */
export const thriftTypes = {
  stop: 0,
  bool: 2,
  i8: 3,
  double: 4,
  i16: 6,
  i32: 8,
  i64: 10,
  string: 11,
  struct: 12,
  map: 13,
  set: 14,
  list: 15,
  uuid: 16,
} as const;
