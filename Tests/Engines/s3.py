#!/usr/bin/env python3
"""Sends single requests to an engine, signed by botocore (Debian's python3-boto3, or PyPI's boto3).

    s3.py URL ID SECRET make BUCKET
    s3.py URL ID SECRET policy BUCKET FILE ...     joins the statements of these policies, and sets them
    s3.py URL ID SECRET try BUCKET ACT KEY         get, list, put, delete: prints the engine's answer
"""

import json
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

url, key, secret, act, bucket, *rest = sys.argv[1:]
s3 = boto3.client(
    "s3", endpoint_url=url, aws_access_key_id=key, aws_secret_access_key=secret,
    region_name="us-east-1", config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 0}))

if act == "make":
    s3.create_bucket(Bucket=bucket)
elif act == "policy":
    statements = []
    for name in rest:
        with open(name, encoding="utf-8") as file:
            statements += json.load(file)["Statement"]
    s3.put_bucket_policy(
        Bucket=bucket, Policy=json.dumps({"Version": "2012-10-17", "Statement": statements}))
else:
    what, name = rest
    try:
        if what == "get":
            s3.get_object(Bucket=bucket, Key=name)["Body"].read()
        elif what == "list":
            s3.list_objects_v2(Bucket=bucket, Prefix=name)
        elif what == "put":
            s3.put_object(Bucket=bucket, Key=name, Body=b"x")
        else:
            s3.delete_object(Bucket=bucket, Key=name)
        print("done")
    except ClientError as error:
        print(error.response["Error"]["Code"])
